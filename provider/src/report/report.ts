/**
 * Reports a preview to reviewers: reads what Pulumi wrote (input.ts), says what it means (meaning.ts), and shows it
 * (markdown.ts, findings.ts).
 */
import { escapeText, jsonText } from "../messages/text";
import { ProviderError } from "../messages/errors";
import { createLocator } from "./declarations";
import { githubAnnotations, gitlabCodeQuality } from "./findings";
import { readInput } from "./input";
import { markdown } from "./markdown";
import { interpret } from "./meaning";
import type { Report } from "./model";

/** What Pulumi left of one preview of one stack. */
export interface PreviewOutput {
  /**
   * The texts of its files, in any order: `pulumi preview --json`, an event log, `pulumi stack export`. After a
   * failure, empty ones are ignored.
   */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** The exit code of `pulumi preview`. Any but 0 makes the outcome a failure. */
  readonly exitCode?: number | undefined;
  /** What it printed on standard error, for a preview that failed before it had any other output. */
  readonly log?: string | undefined;
  /** The stack, such as `infra/production`. Default: as in the files */
  readonly title?: string | undefined;
  /** The folder of the Pulumi project, in whose files declarations are looked for. */
  readonly folder: string;
  /** The same folder in the repository, without slashes at its ends; empty for the root. */
  readonly folderInRepository: string;
}

export const formats = ["markdown", "json", "github", "gitlab"] as const;

export interface PreviewReport extends Pick<Report, "outcome" | "verdict" | "title"> {
  /** 0 no change, 2 changes, 1 refused or failed. */
  readonly exitCode: 0 | 1 | 2;
  /** Writes the report. Throws if it is too long for Node.js; Markdown never is. */
  readonly as: (format: (typeof formats)[number]) => string;
}

const exitCodes = { unchanged: 0, changed: 2, refused: 1, failed: 1 } as const;

/** Creates the report. Throws if a file is none that Pulumi writes, or if two are of one form or of two stacks. */
export function createReport(output: PreviewOutput): PreviewReport {
  const { files, exitCode = 0, log, title, folder, folderInRepository } = output;
  const inputs = files.flatMap(({ name, text }) =>
    exitCode !== 0 && text.trim() === "" ? [] : [readInput(text, escapeText(name))],
  );
  const kinds = inputs.map(({ kind }) => kind);
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
  if (twice !== undefined)
    throw new ProviderError(`Two of the files are of the same form (${twice}). Pass one.`);
  const report = interpret(inputs, { exitCode, log, title, locate: createLocator(folder) });
  const writers = {
    markdown: () => markdown(report),
    json: () => jsonText(report),
    github: () => githubAnnotations(report, folderInRepository),
    gitlab: () => gitlabCodeQuality(report, folderInRepository),
  };
  return {
    outcome: report.outcome,
    verdict: report.verdict,
    title: report.title,
    exitCode: exitCodes[report.outcome],
    as(format) {
      try {
        return writers[format]();
      } catch (error) {
        // Escaping can make a text longer than Node.js supports.
        if (!(error instanceof RangeError)) throw error;
        throw new ProviderError("The report is too long. Pass less, or use --format markdown.");
      }
    },
  };
}
