/** `pulumi-clouddb preview`: runs `pulumi preview`, and shows reviewers of a pull request what it changes. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownAnnotation, withAnnotations } from "../ci/annotations";
import { type GitHubJob, isGitHubJob, readJob } from "../ci/job";
import { jobFiles, removeReport, reportFile, writeFiles } from "../ci/outputFiles";
import { UserError, withCode } from "../messages/errors";
import { escapeMessage } from "../messages/text";
import { type ReportInput, buildReport, isFailure } from "../report/decide/buildReport";
import type { Report } from "../report/model";
import { readTextFile } from "../report/read/files";
import { withPresentFrames } from "../report/read/stackExport";
import { terminalText } from "../report/write/terminal";
import { environmentSecrets } from "../settings/readSettings";
import { type CommandResult, UsageError, defineCommand, errorLog } from "./command";
import { type PulumiOptions, readPulumiOptions } from "./pulumiOptions";
import { type FinishedPreview, runPreview } from "./runPreview";
import { withSettingsAdvice } from "./settingsAdvice";

const help = `Usage: pulumi-clouddb preview --stack NAME [--markdown FILE] [-- ARGUMENT ...]

Runs pulumi preview in the folder of the Pulumi project, and reports what would change. The arguments after -- are
passed to pulumi preview, such as -- --refresh. Variables of Pulumi such as PULUMI_OPTION_TARGET apply as well, except
for PULUMI_OPTION_CWD, which is refused. PULUMI_SKIP_CHECKPOINTS, an experimental setting, is true for the preview alone,
so that Pulumi does not serialize a state that it never saves. A value of the environment takes precedence.

  --stack NAME      the stack, such as production or acme/production
  --markdown FILE   also write the report to FILE, for a comment on the pull request. FILE begins with two lines,
                    <!-- pulumi-clouddb stack: NAME --> and <!-- outcome: OUTCOME -->, where OUTCOME is unchanged,
                    changed, refused or failed. Without a report, there is no FILE, even if there was one before
  --help            print this help

In a job of GitHub, Gitea or Forgejo, it also writes annotations, the job summary and the output outcome. It does not
preview the branches of forks, as far as the event of GitHub or the variables of GitLab name them.

Exit code: 0 the preview succeeded, 1 it was refused or failed, it found changes despite --expect-no-changes, or a
result could not be written, 2 wrong usage.`;

export const preview = defineCommand({
  name: "preview",
  summary: "run pulumi preview, and report it in the log, in a CI job and in a file",
  usage: "--stack NAME [-- ARGUMENT ...]",
  help,
  failure: "The preview was not reported",
  takes: "arguments after --",
  options: { stack: { type: "string" }, markdown: { type: "string" } },
  async run({ stack, markdown: file }, args) {
    if (file === "") throw new UsageError("--markdown FILE is missing");
    try {
      // First, because anything later can fail.
      if (file !== undefined) removeReport(file);
      return await previewed(requestOf(stack, args), file, readJob(process.env));
    } catch (error) {
      if (!isGitHubJob(process.env) || !(error instanceof UserError)) throw error;
      const { message, code = "preview" } = error;
      return { code: 1, output: ownAnnotation(withCode(message, code)), error: "" };
    }
  },
});

/** What the arguments of this command ask for. */
interface Request {
  readonly stack: string;
  /** The arguments of Pulumi, and what these and variables say together. */
  readonly args: readonly string[];
  readonly options: PulumiOptions;
}

/** Reads the arguments. Throws a UsageError for those that this command itself passes to Pulumi. */
function requestOf(stack: string | undefined, args: readonly string[]): Request {
  const options = readPulumiOptions(args, process.env);
  if (options.refusal !== undefined) throw new UsageError(options.refusal);
  if (!stack) throw new UsageError("--stack NAME is missing");
  return { stack, args, options };
}

/** Runs the preview, writes its report, and returns what this command prints. */
async function previewed(
  { stack, args, options }: Request,
  file: string | undefined,
  job: GitHubJob | undefined,
): Promise<CommandResult> {
  const project = findProject();
  const finished = await runPreview(stack, args);
  const context = {
    title: stackTitle(stack, projectIn(finished) ?? project.name),
    commit: job?.commit,
    job: job?.url,
    folder: project.folder,
    isTargeted: options.isTargeted,
    secrets: environmentSecrets(process.env),
  };
  const report = await withSettingsAdvice(reportOf(finished, options, context), stack, options);
  const problems = writeFiles([
    ...(file === undefined ? [] : [reportFile(file, report)]),
    ...(job === undefined ? [] : jobFiles(report, process.env)),
  ]).map((problem) => withCode(problem, "preview"));
  await warnOfDependabot(report);
  const hasFailed = isFailure(report) || finished.exitCode !== 0 || problems.length > 0;
  const code = hasFailed ? 1 : 0;
  const text = terminalText(report);
  if (job === undefined)
    return { code, output: text.trimEnd(), error: escapeMessage(problems.join("\n")) };
  return { code, output: withAnnotations(text, report, { ...project, problems }), error: "" };
}

/** Says why the preview of a Dependabot pull request may lack credentials. */
async function warnOfDependabot({ outcome }: Report): Promise<void> {
  if (process.env["GITHUB_ACTOR"] !== "dependabot[bot]" || outcome !== "failed") return;
  const warning = "the job of a Dependabot pull request has only the secrets of Dependabot.";
  await errorLog(true)("warning", warning, "preview");
}

/** Returns the project that the events name; undefined if there are none. */
function projectIn({ preview }: FinishedPreview): string | undefined {
  return preview?.stack?.split("/")[0];
}

/** What a report says besides the preview. */
type Context = Pick<ReportInput, "title" | "commit" | "job" | "isTargeted" | "secrets"> & {
  readonly folder: string;
};

/** Builds the report of a preview. If Pulumi failed only because it found changes, these are the outcome. */
function reportOf(finished: FinishedPreview, options: PulumiOptions, context: Context): Report {
  const state = finished.state && withPresentFrames(finished.state, context.folder);
  const input = { ...finished, ...context, state };
  return options.expectsNoChanges && failedForChanges(finished)
    ? buildReport({ ...input, exitCode: 0, hasChanges: true })
    : buildReport(input);
}

/** The exit code of Pulumi for the error of `--expect-no-changes`. Older versions have a general one. */
const changesExitCode = 7;

/** Returns whether the error of `--expect-no-changes` is the only one that the events or the log has. */
function failedForChanges({ preview, log, exitCode }: FinishedPreview): boolean {
  if (exitCode === 0 || preview?.isFinished !== true) return false;
  const { diagnostics, result = "succeeded" } = preview;
  const hasErrors = diagnostics.some(({ severity }) => severity === "error");
  const printed = log.match(/^(?:error|panic|fatal error): .*/gm) ?? [];
  const isExpected = (line: string) => /^(?:error: )+no changes were expected/.test(line);
  const saysSo = exitCode === changesExitCode || printed.length > 0;
  return saysSo && result === "succeeded" && !hasErrors && printed.every(isExpected);
}

/** Names a stack in one way, because it can be given with or without its project, and its organization. */
function stackTitle(stack: string, project: string | undefined): string {
  const parts = stack.split("/");
  // Backends without organizations accept this one.
  const organization = parts.length === 1 || parts[0] === "organization" ? undefined : parts[0];
  return [organization, project ?? parts.at(-2), parts.at(-1)].filter(Boolean).join("/");
}

/** Finds the Pulumi project, whose folder can be above the current one. */
function findProject(folder = process.cwd()): { folder: string; name: string | undefined } {
  const paths = ["Pulumi.yaml", "Pulumi.yml"].map((name) => join(folder, name));
  const file = paths.find((path) => existsSync(path));
  if (file !== undefined)
    return { folder, name: /^name:\s*["']?([\w.-]+)/m.exec(readTextFile(file))?.[1] };
  const parent = dirname(folder);
  return parent === folder ? { folder: process.cwd(), name: undefined } : findProject(parent);
}
