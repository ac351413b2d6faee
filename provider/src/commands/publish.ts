/** Passes a report on to the CI system: as a comment, as the outcome for later steps, and as the summary of the job. */
import { writeFileSync } from "node:fs";
import { ProviderError, UserError, withCode } from "../messages/errors";
import { escapeText } from "../messages/text";
import { jobSummary, markdown } from "../report/write/markdown";
import type { Report } from "../report/model";
import { errorLog } from "./command";
import { writeComment } from "./comment";
import type { Job } from "./job";

/** Publishes each part even if another one fails. Returns the problems. */
export async function publish(
  report: Report,
  title: string,
  job: Job | undefined,
): Promise<string[]> {
  const parts: (() => Promise<void> | void)[] = [
    () => comment(report, title, job),
    ...outputFiles(report, job).map((file) => () => {
      writeOutput(file);
    }),
  ];
  const problems: string[] = [];
  for (const part of parts) {
    try {
      await part();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(messageWithCode(error));
    }
  }
  const isDependabot = process.env["GITHUB_ACTOR"] === "dependabot[bot]";
  if (isDependabot && (problems.length > 0 || report.outcome === "failed")) {
    await errorLog(true)("warning", dependabotWarning, "preview");
  }
  return problems;
}

/** Returns the message of an error, with the command's name as its code if it has no other one. */
export function messageWithCode({ message, code = "preview" }: UserError): string {
  return withCode(message, code);
}

/** Writes the report into the comment of the pull request, or warns that it cannot. */
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

/** A file from which the CI system reads something. */
interface OutputFile {
  readonly path: string;
  /** How messages name it. */
  readonly name: string;
  readonly text: string;
  /** Whether the text is added or replaces what is there. */
  readonly flag: "a" | "w";
}

/** Returns the files from which a CI system reads the outcome and the summary. */
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
