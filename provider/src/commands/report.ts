/** `pulumi-clouddb report`: reports what a preview changes, for reviewers of a pull request. */
import { appendFileSync, existsSync } from "node:fs";
import { relative, sep } from "node:path";
import { escapeText, jsonText } from "../messages/text";
import { createLocator } from "../report/declarations";
import { readFile, readStream } from "../report/files";
import { githubAnnotations, gitlabCodeQuality, markdown } from "../report/formats";
import { type PreviewInput, readInput } from "../report/input";
import { type Report, createReport } from "../report/report";
import { ProviderError } from "../messages/errors";
import { UsageError, defineCommand } from "./command";

const help = `Usage: pulumi-clouddb report [options] [file ...]

Reports what a preview changes, for reviewers of a pull request. Reads what Pulumi wrote from files, or from
standard input: pulumi preview --json, an event log (--event-log, with PULUMI_DEBUG_COMMANDS=true), pulumi stack
export, or several of these about one stack. An event log knows most; the others know where the program declares
each resource. Run it in the folder of the Pulumi project.

  --format NAME      markdown (default), json, github (annotations, and Markdown in $GITHUB_STEP_SUMMARY), or
                     gitlab (a code quality report)
  --title TEXT       the stack, such as infra/production; default: as in the files
  --exit-code N      the exit code of pulumi preview; other than 0, the report is of a failure
  --log FILE         what pulumi printed; shown folded, and used if the preview failed before it began
  --exit-zero        end with exit code 0 if the report could be created
  --help             print this help

Exit code: 0 no change, 2 changes, 1 the preview was refused or failed, or the report could not be created.`;

const formats = ["markdown", "json", "github", "gitlab"];

export const report = defineCommand({
  summary: "report what a preview changes, as Markdown or for a CI system",
  usage: "[FILE ...]",
  help,
  failure: "Could not create the report",
  failureCode: 1,
  takesArguments: true,
  options: {
    format: { type: "string", default: "markdown" },
    title: { type: "string" },
    "exit-code": { type: "string" },
    log: { type: "string" },
    "exit-zero": { type: "boolean", default: false },
  },
  async run(values, files) {
    const { format, title } = values;
    if (!formats.includes(format))
      throw new UsageError(`--format is one of ${formats.join(", ")}.`);
    const exitCode = exitCodeOf(values["exit-code"]);
    const log = values.log === undefined ? undefined : readFile(values.log);
    const inputs = await readInputs(files, exitCode !== undefined && exitCode !== 0);
    const result = createReport(inputs, {
      title,
      exitCode,
      log,
      locate: createLocator(process.cwd()),
    });
    const output = writtenOrTooLong(result, format);
    const codes = { unchanged: 0, changed: 2, refused: 1, failed: 1 } as const;
    return { code: values["exit-zero"] ? 0 : codes[result.outcome], output, error: "" };
  },
});

function exitCodeOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,3}$/.test(given)) return Number(given);
  throw new UsageError(`--exit-code is a number, not "${escapeText(given, 40)}".`);
}

/** A preview that failed early leaves empty files, or none. */
async function readInputs(files: readonly string[], hasFailed: boolean): Promise<PreviewInput[]> {
  if (files.length === 0) {
    const name = "Standard input";
    return [readInput(await readStream(process.stdin, name), name)];
  }
  const inputs = files.flatMap((file) => {
    const content = hasFailed && !existsSync(file) ? "" : readFile(file);
    return hasFailed && content.trim() === "" ? [] : [readInput(content, escapeText(file))];
  });
  const kinds = inputs.map(({ kind }) => kind);
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
  if (twice === undefined) return inputs;
  throw new ProviderError(`Two of the files are of the same form (${twice}). Pass one.`);
}

/** Escaping can make a text longer than Node.js supports. */
function writtenOrTooLong(result: Report, format: string): string {
  try {
    return render(result, format);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ProviderError("The report is too long. Pass less, or use --format markdown.");
  }
}

function render(result: Report, format: string): string {
  const { GITHUB_WORKSPACE, CI_PROJECT_DIR, GITHUB_STEP_SUMMARY } = process.env;
  const repository = GITHUB_WORKSPACE ?? CI_PROJECT_DIR ?? process.cwd();
  const folder = relative(repository, process.cwd()).split(sep).join("/");
  if (format === "json") return jsonText(result);
  if (format === "gitlab") return gitlabCodeQuality(result, folder);
  if (format === "markdown") return markdown(result).trimEnd();
  if (GITHUB_STEP_SUMMARY) appendSummary(GITHUB_STEP_SUMMARY, markdown(result));
  return githubAnnotations(result, folder);
}

function appendSummary(file: string, text: string): void {
  try {
    appendFileSync(file, text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ProviderError(`GITHUB_STEP_SUMMARY cannot be written: ${escapeText(message)}`);
  }
}
