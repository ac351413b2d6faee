/** `pulumi-clouddb preview`: runs `pulumi preview`, and shows reviewers of a pull request what it changes. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ProviderError, UserError } from "../messages/errors";
import { escapeMessage, escapeText } from "../messages/text";
import { type ReportInput, buildReport, isFailure } from "../report/decide/buildReport";
import { readTextFile } from "../report/read/files";
import { markdown } from "../report/write/markdown";
import type { Report } from "../report/model";
import { withPresentFrames } from "../report/read/stackExport";
import { ownAnnotation, withAnnotations } from "./annotations";
import { type CommandResult, UsageError, defineCommand } from "./command";
import { type Job, jobIn } from "./job";
import { messageWithCode, publish } from "./publish";
import { type PulumiOptions, readPulumiOptions } from "./pulumiOptions";
import { type FinishedPreview, runPreview } from "./runPreview";
import { withSettingsAdvice } from "./settingsAdvice";
import { terminalText } from "../report/write/terminal";

const help = `Usage: pulumi-clouddb preview --stack NAME [options] [-- ARGUMENT ...]

Runs pulumi preview in the folder of the Pulumi project, and reports what would change. The arguments after -- are
passed to pulumi preview, such as -- --refresh. Variables of Pulumi such as PULUMI_OPTION_TARGET apply as well, except
for PULUMI_OPTION_CWD, which is refused.

  --stack NAME       the stack, such as production or acme/production
  --format NAME      what is printed: text (default) or markdown
  --pull-request N   the pull request to comment on, for a job that another event started, such as a comment
  --help             print this help

In a job of GitHub, Gitea or Forgejo, it also writes annotations, the job summary and the output outcome (unchanged,
changed, refused or failed); in a job of GitLab, the same as a variable in outcome.env. For a pull request or merge
request, it writes a comment if the stack changes, is refused or fails, and updates that comment for each commit. This
needs GITHUB_TOKEN (on GitHub, with the permission pull-requests: write) or GITLAB_TOKEN (a project access token with
the scope api). If GITHUB_TOKEN belongs to a person on GitHub, set COMMENT_AUTHOR to their login. It does not preview
branches of forks.

Exit code: 0 the preview succeeded, 1 it was refused or failed, it found changes despite --expect-no-changes, or a
result could not be written, 2 wrong usage.`;

const formats = ["text", "markdown"] as const;

export const preview = defineCommand({
  name: "preview",
  summary: "run pulumi preview, and report it in a CI job and in a comment",
  usage: "--stack NAME [-- ARGUMENT ...]",
  help,
  failure: "The preview was not reported",
  takes: "arguments after --",
  options: {
    stack: { type: "string" },
    format: { type: "string", default: "text" },
    "pull-request": { type: "string" },
  },
  async run({ stack, format, "pull-request": number }, args) {
    const request = requestOf(stack, format, args);
    if (number !== undefined && !/^[1-9]\d{0,9}$/.test(number))
      throw new UsageError("--pull-request must be the number of a pull request");
    try {
      const job = await jobIn(process.env, number);
      if (job === undefined && number !== undefined)
        throw new UsageError("--pull-request is for jobs of GitHub, GitLab, Gitea and Forgejo");
      return await previewed(request, job);
    } catch (error) {
      // The job may be what cannot be read.
      const isGitHub = process.env["GITHUB_ACTIONS"] === "true";
      if (!isGitHub || !(error instanceof UserError)) throw error;
      return { code: 1, output: ownAnnotation(messageWithCode(error)), error: "" };
    }
  },
});

/** What the arguments of this command ask for. */
interface Request {
  readonly stack: string;
  readonly format: (typeof formats)[number];
  /** The arguments of Pulumi, and what these and variables say together. */
  readonly args: readonly string[];
  readonly options: PulumiOptions;
}

/** Reads the arguments. Throws a UsageError for those that this command itself passes to Pulumi. */
function requestOf(stack: string | undefined, name: string, args: readonly string[]): Request {
  const format = formats.find((each) => each === name);
  if (format === undefined) throw new UsageError(`--format must be one of ${formats.join(", ")}`);
  const options = readPulumiOptions(args, process.env);
  if (options.refused !== undefined) {
    throw new UsageError(
      `${escapeText(options.refused)} cannot be passed to pulumi; run the command in the folder of the project, with --stack and --format before --`,
    );
  }
  if (!stack) throw new UsageError("--stack NAME is missing");
  return { stack, format, args, options };
}

/** Runs the preview, publishes its report, and returns what this command prints. */
async function previewed(request: Request, job: Job | undefined): Promise<CommandResult> {
  rejectFork(job);
  const { stack, args, options, format } = request;
  const project = findProject();
  const finished = await runPreview(stack, args);
  const title = stackTitle(stack, projectIn(finished) ?? project.name);
  const context = {
    title,
    commit: job?.pullRequest?.commit,
    job: job?.url,
    folder: project.folder,
    isTargeted: options.isTargeted,
  };
  const report = await withSettingsAdvice(reportOf(finished, options, context), stack, options);
  const problems = await publish(report, title, job);
  const hasFailed = isFailure(report) || finished.exitCode !== 0 || problems.length > 0;
  const code = hasFailed ? 1 : 0;
  // Markdown is for another program, which expects nothing else.
  if (format === "markdown") return { code, ...withProblems(markdown(report), problems) };
  if (job?.system !== "GitHub") return { code, ...withProblems(terminalText(report), problems) };
  const annotated = withAnnotations(terminalText(report), report, { ...project, problems });
  return { code, output: annotated, error: "" };
}

/** Prints what could not be published beside the text. */
function withProblems(text: string, problems: readonly string[]): Omit<CommandResult, "code"> {
  return { output: text.trimEnd(), error: escapeMessage(problems.join("\n")) };
}

/** Throws for the branch of a fork, whose program could read the secrets of the job. */
function rejectFork(job: Job | undefined): void {
  if (job?.pullRequest?.isFork !== true) return;
  throw new ProviderError(
    "branches of forks are not previewed, because a Pulumi program can read the secrets of its job. Push the branch to this repository.",
  );
}

/** Returns the project that the events name; undefined if there are none. */
function projectIn({ preview }: FinishedPreview): string | undefined {
  return preview?.stack?.split("/")[0];
}

/** What a report says besides the preview. */
type Context = Pick<ReportInput, "title" | "commit" | "job" | "isTargeted"> & {
  readonly folder: string;
};

/** Builds the report of a preview. If Pulumi failed only because it found changes, these are the outcome. */
function reportOf(finished: FinishedPreview, options: PulumiOptions, context: Context): Report {
  const state = finished.state && withPresentFrames(finished.state, context.folder);
  const input = { ...finished, ...context, state };
  if (!options.expectsNoChanges || !failedForChanges(finished)) return buildReport(input);
  const report = buildReport({ ...input, exitCode: 0 });
  if (report.outcome === "changed") return report;
  const summary = "Pulumi found changes that its events do not show.";
  return { ...report, outcome: "changed", summary };
}

/** Returns whether neither the events nor the log has another error than the one of `--expect-no-changes`. */
function failedForChanges({ preview, log, exitCode }: FinishedPreview): boolean {
  if (exitCode === 0 || preview?.isFinished !== true) return false;
  const { diagnostics, result = "succeeded" } = preview;
  const hasErrors = diagnostics.some(({ severity }) => severity === "error");
  const printed = log.match(/^error: .*/gm) ?? [];
  const isExpected = printed.every((line) => line.startsWith("error: no changes were expected"));
  return result === "succeeded" && !hasErrors && isExpected;
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
