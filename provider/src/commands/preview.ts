/** `pulumi-clouddb preview`: runs `pulumi preview`, and shows reviewers of a pull request what it changes. */
import { randomUUID } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { ProviderError, UserError, codesIn, withCode } from "../messages/errors";
import { doctorAdvice } from "../messages/recommendations";
import { escapeMessage, escapeText } from "../messages/text";
import { annotation, githubAnnotations, type Job, jobIn, writeComment } from "./job";
import { readTextFile } from "../report/files";
import { jobSummary, markdown } from "../report/markdown";
import { isAboutCredentials } from "../report/diagnostics";
import { type ReportInput, buildReport } from "../report/buildReport";
import type { Block, Line } from "../report/blocks";
import { blocksOf, outcomes } from "../report/layout";
import type { Report } from "../report/model";
import { withPresentFrames } from "../report/stackExport";
import { refreshAdvice } from "../host/lifecycle";
import { reportedSettings } from "../settings/readSettings";
import { environmentOnly, isCredential } from "../settings/settings";
import {
  type CommandResult,
  UsageError,
  columns,
  defineCommand,
  errorLog,
  commandSettings,
} from "./command";
import { type PulumiOptions, readPulumiOptions } from "./pulumiOptions";
import { type FinishedPreview, runPreview } from "./runPreview";

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
    const isGitHub = process.env["GITHUB_ACTIONS"] === "true";
    try {
      const job = await jobIn(process.env, number);
      if (job === undefined && number !== undefined)
        throw new UsageError("--pull-request is for jobs of GitHub, GitLab, Gitea and Forgejo");
      return await previewed(request, job);
    } catch (error) {
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

async function previewed(request: Request, job: Job | undefined): Promise<CommandResult> {
  if (job?.pullRequest?.isFork === true) {
    throw new ProviderError(
      "branches of forks are not previewed, because a Pulumi program can read the secrets of its job. Push the branch to this repository.",
    );
  }
  const { stack, args, options, format } = request;
  const { folder, name } = findProject();
  const finished = await runPreview(stack, args);
  const state = finished.state && withPresentFrames(finished.state, folder);
  const title = titleOf(stack, finished.preview?.stack?.split("/")[0] ?? name);
  const commit = job?.pullRequest?.commit;
  const { isTargeted } = options;
  const input = { ...finished, state, title, commit, job: job?.url, folder, isTargeted };
  const report = await withSettingsAdvice(reportOf(input, options), stack, options);
  const problems = await publish(report, title, job);
  const hasFailed = report.outcome === "refused" || report.outcome === "failed";
  const isFailure = hasFailed || finished.exitCode !== 0 || problems.length > 0;
  const text = (format === "text" ? terminalText(report) : markdown(report)).trimEnd();
  const isAnnotated = job?.system === "GitHub" && format === "text";
  return {
    code: isFailure ? 1 : 0,
    output: isAnnotated ? annotated(text, report, { folder, problems }) : text,
    error: isAnnotated ? "" : escapeMessage(problems.join("\n")),
  };
}

/** Builds the report of a preview. If Pulumi failed only because it found changes, these are the outcome. */
function reportOf(input: FinishedPreview & ReportInput, options: PulumiOptions): Report {
  if (!options.expectsNoChanges || !failedForChanges(input)) return buildReport(input);
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

interface Annotated {
  /** The folder of the Pulumi project. */
  readonly folder: string;
  readonly problems: readonly string[];
}

/** Adds annotations to a text in which GitHub could otherwise find commands. */
function annotated(text: string, report: Report, { folder, problems }: Annotated): string {
  const end = randomUUID();
  const parts = [
    `::stop-commands::${end}`,
    text,
    `::${end}::`,
    githubAnnotations(report, pathInRepository(folder)),
    ...problems.map(ownAnnotation),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** Names a stack in one way, because it can be given with or without its project, and its organization. */
function titleOf(stack: string, project: string | undefined): string {
  const parts = stack.split("/");
  // Backends without organizations accept this one.
  const organization = parts.length === 1 || parts[0] === "organization" ? undefined : parts[0];
  return [organization, project ?? parts.at(-2), parts.at(-1)].filter(Boolean).join("/");
}

/** Passes the report on to the CI system, as far as that succeeds. Returns the problems. */
async function publish(report: Report, title: string, job: Job | undefined): Promise<string[]> {
  const problems: string[] = [];
  const attempt = async (work: () => Promise<void> | void) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(messageWithCode(error));
    }
  };
  await attempt(() => comment(report, title, job));
  for (const file of outputFiles(report, job)) {
    await attempt(() => {
      writeOutput(file);
    });
  }
  const isDependabot = process.env["GITHUB_ACTOR"] === "dependabot[bot]";
  if (isDependabot && (problems.length > 0 || report.outcome === "failed")) {
    await errorLog(true)("warning", dependabotWarning, "preview");
  }
  return problems;
}

async function comment(report: Report, title: string, job: Job | undefined): Promise<void> {
  const comments = job?.pullRequest?.comments;
  if (comments?.kind === "writable") {
    const isNew = report.outcome !== "unchanged";
    await writeComment(comments, { title, markdown: markdown(report), isNew });
  }
  if (comments?.kind === "none") {
    const warning = `no comment was written, because ${comments.reason}`;
    await errorLog(true)("warning", warning, "no-comment");
  }
}

interface OutputFile {
  readonly path: string;
  /** How messages name it. */
  readonly name: string;
  readonly text: string;
  /** Whether the text is added or replaces what is there. */
  readonly flag: "a" | "w";
}

function outputFiles(report: Report, job: Job | undefined): OutputFile[] {
  const outcome = `outcome=${report.outcome}\n`;
  switch (job?.system) {
    case undefined:
      return [];
    case "GitLab":
      return [{ path: "outcome.env", name: "outcome.env", text: outcome, flag: "w" }];
    case "GitHub":
      return [
        ["GITHUB_OUTPUT", outcome] as const,
        ["GITHUB_STEP_SUMMARY", markdown(report, jobSummary)] as const,
      ].flatMap(([name, text]) => {
        const path = process.env[name];
        return path ? [{ path, name, text, flag: "a" }] : [];
      });
  }
}

function writeOutput({ path, name, text, flag }: OutputFile): void {
  try {
    writeFileSync(path, text, { flag });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ProviderError(`${name} cannot be written: ${escapeText(message)}`);
  }
}

const dependabotWarning =
  "the job of a Dependabot pull request has only the secrets of Dependabot, and a token that can only read unless the workflow has permissions.";

/** Names doctor beside each error that settings may cause, and where credentials come from that the service refused. */
async function withSettingsAdvice(
  report: Report,
  stack: string,
  { hasConfigFile, runsProgram }: PulumiOptions,
): Promise<Report> {
  const isNotFound = (text: string) => codesIn(text).includes("not-found");
  const isRefused = report.errors.some(({ text }) => isAboutCredentials(text));
  if (!isRefused && !report.errors.some(({ text }) => isNotFound(text))) return report;
  // Neither this command nor doctor reads that file.
  if (hasConfigFile) return report;
  const origin = isRefused ? await originOfCredentials(stack) : "";
  // A refresh uses recorded settings, as its message says.
  const originFor = (text: string) => (runsProgram || !text.includes(refreshAdvice) ? origin : "");
  const command = `    npx pulumi-clouddb doctor --stack ${escapeText(stack)}`;
  const withCommand = (text: string) => {
    if (isAboutCredentials(text)) {
      return `${text}${originFor(text)}\nTo check the current ones:\n${command}`;
    }
    if (!isNotFound(text)) return text;
    return `${text.replace(` ${doctorAdvice}`, "")}\nTo check the settings:\n${command}`;
  };
  const errors = report.errors.map(({ text, ...error }) => ({ ...error, text: withCommand(text) }));
  return { ...report, errors };
}

async function originOfCredentials(stack: string): Promise<string> {
  // Without a readable configuration, at least those of the environment.
  const source = await commandSettings(stack).catch(() => environmentOnly);
  const names = reportedSettings(source, process.env)
    .filter(({ key }) => isCredential(key))
    .map(({ key, variable, source: from }) =>
      from === "stack" ? `clouddb:${key} in the stack` : `${variable} in the environment`,
    );
  return names.length === 0
    ? ""
    : `\nUnless a clouddb.Provider has its own, the credentials come from ${names.join(" and ")}.`;
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

function pathInRepository(folder: string): string {
  const repository = process.env["GITHUB_WORKSPACE"] ?? folder;
  return relative(repository, folder).split(sep).join("/");
}

function messageWithCode({ message, code = "preview" }: UserError): string {
  return withCode(message, code);
}

function ownAnnotation(text: string): string {
  return annotation({ resource: "pulumi-clouddb preview", text, position: undefined });
}

const lineLimit = 1000;

/** Writes a report for a terminal, which text from outside cannot control. */
export function terminalText(report: Report): string {
  const title = `${escapeText(report.title ?? "Preview")}: ${outcomes[report.outcome]}`;
  const blocks = blocksOf(report).map((block) => linesOf(block).join("\n"));
  return [title, ...blocks].join("\n\n");
}

function linesOf(block: Block): string[] {
  switch (block.kind) {
    case "heading":
    case "text":
      return [lineText(block.line)];
    case "caution":
      return block.lines.map(lineText);
    case "warning":
      return [`warning: ${block.lines.map(lineText).join("\n  ")}`];
    case "table": {
      const rows = [block.columns, ...block.rows.map((cells) => cells.map(lineText))];
      return indented(columns(rows).split("\n"));
    }
    case "message": {
      const lines = block.text.split("\n").map(escaped);
      return block.isWarning ? [`warning: ${lines.join("\n  ")}`] : indented(lines);
    }
    case "code":
      return indented(block.lines.map(escaped));
    case "folded":
      return [`${block.title}:`, ...indented(block.lines.map(escaped))];
  }
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function lineText(line: Line): string {
  return line.map((part) => (typeof part === "string" ? part : escaped(part.code))).join("");
}

function escaped(text: string): string {
  return escapeText(text, lineLimit);
}
