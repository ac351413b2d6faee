/** `pulumi-clouddb preview`: runs `pulumi preview`, and shows reviewers of a pull request what it changes. */
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ProviderError, UserError } from "../messages/errors";
import { withCode } from "../messages/codes";
import { escapeMessage, escapeText } from "../messages/text";
import { readFile } from "../report/files";
import { type PreviewReport, createReport } from "../report/report";
import {
  type CommandResult,
  UsageError,
  colorWords,
  defineCommand,
  errorLog,
  success,
} from "./command";
import { type Job, jobIn, markOutdated, writeComment } from "./comment";
import { appendTo, folderInRepository, writeText } from "./report";
import { type PulumiFiles, runPreview } from "./runPreview";

const help = `Usage: pulumi-clouddb preview --stack NAME [options] [-- ARGUMENT ...]

Runs pulumi preview in the folder of the Pulumi project, and reports what would change. The arguments after -- are
passed to pulumi preview, such as -- --refresh.

  --stack NAME             the stack, such as production or acme/production; default: PULUMI_STACK
  --format NAME            what is printed: text (default), markdown or json
  --comment-author LOGIN   the user of the token; default on GitHub: github-actions[bot], on GitLab: asks GitLab
  --mark-outdated          instead, after all previews of a commit: says in the comments of stacks that were not
                           previewed that they are outdated
  --help                   print this help

In a job of GitHub Actions, it also writes annotations, the job summary and the output values outcome (unchanged,
changed, refused or failed), title and report (a file with Markdown); in a job of GitLab, the code quality report
gl-code-quality-report.json. For a pull request or merge request, it writes a comment for each stack, and updates it
for each commit, if GITHUB_TOKEN (with the permission pull-requests: write) or GITLAB_TOKEN (a project access token with the
scope api) is set. It does not preview branches of forks.

Exit code: 0 no change, 2 changes, 1 the preview was refused or failed, or a result could not be written.`;

const formats = ["text", "markdown", "json"] as const;

/** Arguments that this command passes to pulumi itself, or that it would not notice. */
const ownArgument = /^(--(stack|json|event-log|cwd)(=|$)|-[sjC])/;

export const preview = defineCommand({
  name: "preview",
  summary: "run pulumi preview, and report it in a CI job and in a comment",
  usage: "--stack NAME [-- ARGUMENT ...]",
  help,
  failure: "The preview was not reported",
  failureCode: 1,
  passesArguments: true,
  options: {
    stack: { type: "string" },
    format: { type: "string", default: "text" },
    "comment-author": { type: "string" },
    "mark-outdated": { type: "boolean", default: false },
  },
  async run({ stack = process.env["PULUMI_STACK"], ...values }, args) {
    const format = formats.find((each) => each === values.format);
    if (format === undefined) throw new UsageError(`--format must be one of ${formats.join(", ")}`);
    const given = args.find((each) => ownArgument.test(each));
    if (given !== undefined) {
      throw new UsageError(
        `${escapeText(given)} cannot be passed to pulumi; run the command in the folder of the project, with --stack and --format before --`,
      );
    }
    const job = jobIn(process.env, values["comment-author"]);
    try {
      if (values["mark-outdated"]) return await outdated(job);
      if (!stack) throw new UsageError("--stack NAME is missing");
      return await previewed(stack, args, format, job);
    } catch (error) {
      if (job?.system !== "GitHub" || !(error instanceof UserError)) throw error;
      return { code: 1, output: annotation(messageWithCode(error)), error: "" };
    }
  },
});

async function outdated(job: Job | undefined): Promise<CommandResult> {
  if (job === undefined) throw new UsageError("--mark-outdated is for jobs of GitHub and GitLab");
  warn(await markOutdated(job));
  return success("");
}

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
  const title = [projectName(), stack].filter(Boolean).join("/");
  const report = await runPreview(stack, args, (files) => reportOf(files, title, job));
  const problems = await publish(report, title, job);
  const isAnnotated = job?.system === "GitHub" && format === "text";
  const text = report.as(format).trimEnd();
  // Without this, GitHub would run what looks like a command in the text.
  const end = randomUUID();
  const output = isAnnotated
    ? [
        `::stop-commands::${end}`,
        text,
        `::${end}::`,
        report.as("github"),
        ...problems.map(annotation),
      ]
    : [format === "text" ? colorWords(text, { error: "red", warning: "yellow" }) : text];
  return {
    code: problems.length > 0 ? 1 : report.exitCode,
    output: output.filter((each) => each !== "").join("\n"),
    error: isAnnotated ? "" : escapeMessage(problems.join("\n")),
  };
}

/** Passes the report on to the CI system, as far as that succeeds. Returns the problems. */
async function publish(
  report: PreviewReport,
  title: string,
  job: Job | undefined,
): Promise<string[]> {
  const markdown = report.as("markdown");
  const publications: (() => Promise<void> | void)[] = [
    async () => {
      if (job?.pullRequest) warn(await writeComment(job, { title, markdown }));
    },
    () => {
      if (job?.system === "GitLab") writeText("gl-code-quality-report.json", report.as("gitlab"));
    },
    () => {
      if (job?.system === "GitHub") appendTo("GITHUB_STEP_SUMMARY", markdown);
    },
    () => {
      if (job?.system === "GitHub") writeOutputs(report, title, markdown);
    },
  ];
  const problems: string[] = [];
  for (const publication of publications) {
    try {
      await publication();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(messageWithCode(error));
    }
  }
  return problems;
}

function reportOf(
  { outputs, repeats, log, exitCode }: PulumiFiles,
  title: string,
  job: Job | undefined,
): PreviewReport {
  const context = {
    title,
    commit: job?.pullRequest?.commit,
    job: job?.url,
    folder: process.cwd(),
    folderInRepository: folderInRepository(),
  };
  const read = (path: string) => ({
    name: basename(path),
    text: existsSync(path) ? readFile(path) : "",
  });
  try {
    return createReport({
      ...context,
      files: outputs.map(read),
      repeats: repeats.map(read),
      log: readFile(log),
      exitCode,
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const text = withCode(
      `The report could not be created: ${error.message}`,
      error.code ?? "report",
    );
    return createReport({ ...context, files: [], log: text, exitCode: 1 });
  }
}

/** Reads the name of the project, which is part of the title even if the preview fails before it begins. */
function projectName(): string | undefined {
  const file = ["Pulumi.yaml", "Pulumi.yml"].find((name) => existsSync(name));
  return file && /^name:\s*["']?([\w.-]+)/m.exec(readFile(file))?.[1];
}

/** Writes the values that later steps of the job can use. The report is in a file that stays until the job ends. */
function writeOutputs({ outcome }: PreviewReport, title: string, markdown: string): void {
  const file = join(
    mkdtempSync(join(process.env["RUNNER_TEMP"] || tmpdir(), "report-")),
    "report.md",
  );
  writeText(file, markdown);
  const values = { outcome, title: escapeText(title), report: file };
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  appendTo("GITHUB_OUTPUT", lines.join(""));
}

function warn(reason: string | undefined): void {
  if (reason !== undefined)
    void errorLog("warning", `no comment was written: ${reason}`, "no-comment");
}

function messageWithCode({ message, code = "preview" }: UserError): string {
  return withCode(message, code);
}

/** Formats an error for GitHub. */
function annotation(message: string): string {
  const data = escapeMessage(message).replaceAll("%", "%25").replaceAll("\n", "%0A");
  return `::error title=pulumi-clouddb preview::${data}`;
}
