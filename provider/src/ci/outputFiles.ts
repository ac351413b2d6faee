/** Writes the files that later steps of a job read: the report as Markdown, and the outcome and summary on GitHub. */
import { appendFileSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { ProviderError } from "../messages/errors";
import { escapeText } from "../messages/text";
import { jobSummary, markdown } from "../report/write/markdown";
import type { Report } from "../report/model";

/** A file, and how messages name it. */
export interface OutputFile {
  readonly name: string;
  readonly write: () => void;
}

/** Removes the report of an earlier preview, so that no step takes it for the one of this preview. */
export function removeReport(path: string): void {
  // Removing /dev/stdout would remove it for every process.
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new ProviderError(`${escapeText(path)} is not a regular file.`);
  }
  rmSync(path, { force: true });
}

/** Returns the file with the report as Markdown, which is there only if it is complete. */
export function reportFile(path: string, report: Report): OutputFile {
  const unfinished = `${path}.${process.pid}.tmp`;
  return {
    name: path,
    write: () => {
      try {
        writeFileSync(unfinished, markdown(report));
        renameSync(unfinished, path);
      } finally {
        rmSync(unfinished, { force: true });
      }
    },
  };
}

/** Returns the files to which a job of GitHub Actions appends its outcome and its summary. */
export function jobFiles(report: Report, environment: NodeJS.ProcessEnv): OutputFile[] {
  const texts = {
    GITHUB_OUTPUT: `outcome=${report.outcome}\n`,
    GITHUB_STEP_SUMMARY: markdown(report, jobSummary),
  };
  return Object.entries(texts).flatMap(([name, text]) => {
    const path = environment[name];
    if (!path) return [];
    const write = () => {
      appendFileSync(path, text);
    };
    return [{ name, write }];
  });
}

/** Writes each file even if another one cannot be written. Returns the problems. */
export function writeFiles(files: readonly OutputFile[]): string[] {
  return files.flatMap(({ name, write }) => {
    try {
      write();
      return [];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return [`${escapeText(name)} cannot be written: ${escapeText(message)}`];
    }
  });
}
