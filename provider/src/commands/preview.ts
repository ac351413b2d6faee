/** `pulumi-clouddb preview`: runs `pulumi preview`, and shows reviewers of a pull request what it changes. */
import { randomUUID } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { ProviderError, UserError, codesIn, withCode } from "../messages/errors";
import { doctorAdvice } from "../messages/recommendations";
import { escapeMessage, escapeText } from "../messages/text";
import { annotation, githubAnnotations, type Job, jobIn, writeComment } from "./job";
import { readText } from "../report/files";
import { jobSummary, markdown } from "../report/markdown";
import { isAboutCredentials } from "../report/diagnostics";
import { buildReport } from "../report/buildReport";
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
import { runPreview } from "./runPreview";

const help = `Usage: pulumi-clouddb preview --stack NAME [options] [-- ARGUMENT ...]

Runs pulumi preview in the folder of the Pulumi project, and reports what would change. The arguments after -- are
passed to pulumi preview, such as -- --refresh.

  --stack NAME       the stack, such as production or acme/production
  --format NAME      what is printed: text (default) or markdown
  --pull-request N   the pull request to comment on, for a job that another event started, such as a comment
  --help             print this help

In a job of GitHub Actions, it also writes annotations, the job summary and the output outcome (unchanged, changed,
refused or failed); in a job of GitLab, the same as a variable in outcome.env. For a pull request or merge request, it
writes a comment if the stack changes, is refused or fails, and updates that comment for each commit. This needs
GITHUB_TOKEN (with the permission pull-requests: write) or GITLAB_TOKEN (a project access token with the scope api).
If GITHUB_TOKEN belongs to a person, set COMMENT_AUTHOR to their login. It does not preview branches of forks.

Exit code: 0 the preview succeeded, 1 it was refused or failed or a result could not be written, 2 wrong usage.`;

const formats = ["text", "markdown"] as const;

/** Arguments that this command passes to pulumi itself, or that it would not notice. */
const ownArgument = /^(--(stack|json|cwd)(=|$)|-[sjC])/;

const targetArgument = /^(--(target|exclude)|-[tx])/;

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
  async run({ stack, "pull-request": number, ...values }, args) {
    const format = formats.find((name) => name === values.format);
    if (format === undefined) throw new UsageError(`--format must be one of ${formats.join(", ")}`);
    const given = args.find((argument) => ownArgument.test(argument));
    if (given !== undefined) {
      throw new UsageError(
        `${escapeText(given)} cannot be passed to pulumi; run the command in the folder of the project, with --stack and --format before --`,
      );
    }
    if (!stack) throw new UsageError("--stack NAME is missing");
    if (number !== undefined && !/^[1-9]\d{0,9}$/.test(number))
      throw new UsageError("--pull-request must be the number of a pull request");
    const isGitHub = process.env["GITHUB_ACTIONS"] === "true";
    try {
      const job = await jobIn(process.env, number);
      if (job === undefined && number !== undefined)
        throw new UsageError("--pull-request is for jobs of GitHub and GitLab");
      return await previewed(stack, args, format, job);
    } catch (error) {
      if (!isGitHub || !(error instanceof UserError)) throw error;
      return { code: 1, output: ownAnnotation(messageWithCode(error)), error: "" };
    }
  },
});

async function previewed(
  stack: string,
  args: readonly string[],
  format: (typeof formats)[number],
  job: Job | undefined,
): Promise<CommandResult> {
  if (job?.pullRequest?.isFork === true) {
    throw new ProviderError(
      "branches of forks are not previewed, because a Pulumi program can read the secrets of its job. Push the branch to this repository.",
    );
  }
  const { folder, name } = findProject();
  const finished = await runPreview(stack, args);
  const state = finished.state && withPresentFrames(finished.state, folder);
  const title = titleOf(stack, finished.preview?.stack?.split("/")[0] ?? name);
  const commit = job?.pullRequest?.commit;
  const isTargeted = args.some((argument) => targetArgument.test(argument));
  const input = { ...finished, state, title, commit, job: job?.url, folder, isTargeted };
  const report = await withSettingsAdvice(buildReport(input), stack, args);
  const problems = await publish(report, title, job);
  const text = (format === "text" ? terminalText(report) : markdown(report)).trimEnd();
  const isAnnotated = job?.system === "GitHub" && format === "text";
  // Without this, GitHub would run what looks like a command in the text.
  const end = randomUUID();
  const output = isAnnotated
    ? [
        `::stop-commands::${end}`,
        text,
        `::${end}::`,
        githubAnnotations(report, pathInRepository(folder)),
        ...problems.map(ownAnnotation),
      ]
    : [text];
  const hasFailed = report.outcome === "refused" || report.outcome === "failed";
  return {
    code: hasFailed || problems.length > 0 ? 1 : 0,
    output: output.filter((part) => part !== "").join("\n"),
    error: isAnnotated ? "" : escapeMessage(problems.join("\n")),
  };
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
  const text = markdown(report);
  const { comments } = job?.pullRequest ?? {};
  const isNew = report.outcome !== "unchanged";
  if (comments !== undefined)
    await attempt(() => writeComment(comments, { title, markdown: text, isNew }));
  else if (job?.pullRequest !== undefined) {
    const variable = job.system === "GitHub" ? "GITHUB_TOKEN" : "GITLAB_TOKEN";
    const reason = `no comment was written, because ${variable} is not set`;
    await errorLog(true)("warning", reason, "no-comment");
  }
  const isDependabot = process.env["GITHUB_ACTOR"] === "dependabot[bot]";
  if (isDependabot && (problems.length > 0 || report.outcome === "failed")) {
    await errorLog(true)("warning", dependabotWarning, "preview");
  }
  const outcome = `outcome=${report.outcome}\n`;
  if (job?.system === "GitHub") {
    for (const [variable, content] of [
      ["GITHUB_OUTPUT", outcome],
      ["GITHUB_STEP_SUMMARY", markdown(report, jobSummary)],
    ] as const) {
      const file = process.env[variable];
      if (!file) continue;
      await attempt(() => {
        writeText(file, content, "a", variable);
      });
    }
  }
  if (job?.system === "GitLab")
    await attempt(() => {
      writeText("outcome.env", outcome, "w");
    });
  return problems;
}

const dependabotWarning =
  "the job of a Dependabot pull request has only the secrets of Dependabot, and a token that can only read unless the workflow has permissions.";

/** Names doctor beside each error that settings may cause, and where credentials come from that the service refused. */
async function withSettingsAdvice(
  report: Report,
  stack: string,
  args: readonly string[],
): Promise<Report> {
  const isNotFound = (text: string) => codesIn(text).includes("not-found");
  const isRefused = report.errors.some(({ text }) => isAboutCredentials(text));
  if (!isRefused && !report.errors.some(({ text }) => isNotFound(text))) return report;
  // Neither this command nor doctor reads that file.
  if (args.some((argument) => argument.startsWith("--config-file"))) return report;
  const origin = isRefused ? await originOfCredentials(stack) : "";
  // A refresh uses recorded settings, as its message says.
  const isCurrent = args.some((argument) => argument.startsWith("--run-program"));
  const originFor = (text: string) => (isCurrent || !text.includes(refreshAdvice) ? origin : "");
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
    return { folder, name: /^name:\s*["']?([\w.-]+)/m.exec(readText(file))?.[1] };
  const parent = dirname(folder);
  return parent === folder ? { folder: process.cwd(), name: undefined } : findProject(parent);
}

function pathInRepository(folder: string): string {
  const repository = process.env["GITHUB_WORKSPACE"] ?? folder;
  return relative(repository, folder).split(sep).join("/");
}

function writeText(file: string, text: string, flag: "a" | "w", name = escapeText(file)): void {
  try {
    writeFileSync(file, text, { flag });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ProviderError(`${name} cannot be written: ${escapeText(message)}`);
  }
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
