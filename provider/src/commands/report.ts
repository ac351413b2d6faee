/** `pulumi-clouddb report`: reports what a preview changes, for reviewers of a pull request. */
import { existsSync, writeFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { escapeText } from "../messages/text";
import { readFile, readStream } from "../report/files";
import { type PreviewOutput, type PreviewReport, createReport, formats } from "../report/report";
import { ProviderError } from "../messages/errors";
import { UsageError, defineCommand, success } from "./command";

const help = `Usage: pulumi-clouddb report [options] [file ...]

Reports what a preview changes, for reviewers of a pull request. Reads what Pulumi wrote from files, or from
standard input: pulumi preview --json, an event log (--event-log, with PULUMI_DEBUG_COMMANDS=true), pulumi stack
export, or several of these about one stack. An event log contains the most; the other inputs say where the
program declares each resource. Run it in the folder of the Pulumi project.

  --format NAME      markdown (default), text, json, github (annotations, and Markdown in $GITHUB_STEP_SUMMARY),
                     or gitlab (a code quality report)
  --title TEXT       the stack, such as infra/production; default: as in the files
  --exit-code N      the exit code of pulumi preview; if it is not 0, the report describes a failure
  --log FILE         what pulumi printed; shown folded, and used if the preview failed before it began
  --exit-zero        end with exit code 0 if the report could be created
  --help             print this help

Exit code: 0 no change, 2 changes, 1 the preview was refused or failed, or the report could not be created.`;

export const report = defineCommand({
  name: "report",
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
    const format = formats.find((each) => each === values.format);
    if (format === undefined) throw new UsageError(`--format must be one of ${formats.join(", ")}`);
    const exitCode = exitCodeOf(values["exit-code"]);
    const result = createReport({
      files: await readFiles(files, exitCode !== undefined && exitCode !== 0),
      exitCode,
      log: values.log === undefined ? undefined : readFile(values.log),
      title: values.title,
      folder: process.cwd(),
      folderInRepository: folderInRepository(),
    });
    return success(render(result, format), values["exit-zero"] ? 0 : result.exitCode);
  },
});

function exitCodeOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,3}$/.test(given)) return Number(given);
  throw new UsageError(`--exit-code must be a number, not "${escapeText(given, 40)}"`);
}

/** A preview that fails early leaves empty files or no files. */
async function readFiles(
  files: readonly string[],
  hasFailed: boolean,
): Promise<PreviewOutput["files"]> {
  if (files.length > 0) {
    return files.map((name) => ({
      name,
      text: hasFailed && !existsSync(name) ? "" : readFile(name),
    }));
  }
  const name = "Standard input";
  return [{ name, text: await readStream(process.stdin, name) }];
}

function render(result: PreviewReport, format: (typeof formats)[number]): string {
  if (format === "github") appendTo("GITHUB_STEP_SUMMARY", result.as("markdown"));
  return result.as(format).trimEnd();
}

/** Returns the path of the current folder in the repository that a CI system has checked out. */
export function folderInRepository(): string {
  const { GITHUB_WORKSPACE, CI_PROJECT_DIR } = process.env;
  const repository = GITHUB_WORKSPACE ?? CI_PROJECT_DIR ?? process.cwd();
  return relative(repository, process.cwd()).split(sep).join("/");
}

/** Appends text to the file that an environment variable of GitHub names, if it is set. */
export function appendTo(variable: string, text: string): void {
  const file = process.env[variable];
  if (file) writeText(file, text, { name: variable, flag: "a" });
}

/** Writes a file. Throws if that fails. */
export function writeText(
  file: string,
  text: string,
  { name = escapeText(file), flag = "w" } = {},
): void {
  try {
    writeFileSync(file, text, { flag });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ProviderError(`${name} cannot be written: ${escapeText(message)}`);
  }
}
