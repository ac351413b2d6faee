/**
 * Reports a preview to reviewers: reads what Pulumi wrote (input.ts), says what it means (meaning.ts), and shows it
 * (markdown.ts, findings.ts, terminal.ts).
 */
import { escapeMessage, escapeText, jsonText } from "../messages/text";
import { ProviderError } from "../messages/errors";
import { createLocator } from "./declarations";
import { githubAnnotations, gitlabCodeQuality } from "./findings";
import { isEmpty, readInput } from "./input";
import { markdown } from "./markdown";
import { type Context, interpret } from "./meaning";
import type { Report } from "./model";
import { terminalText } from "./terminal";
import { withoutSecrets } from "./values";

/** What Pulumi left of one preview of one stack. */
export interface PreviewOutput extends Omit<Context, "locate" | "repeats"> {
  /**
   * The texts of its files, in any order: `pulumi preview --json`; an event log, which alone has stack outputs; and
   * `pulumi stack export`, which alone has receivers that do not change, and what a failed preview lacks. After a
   * failure, empty ones are ignored.
   */
  readonly files: readonly Text[];
  /**
   * Event logs of further previews, each with `--exclude` for the resources that failed in those before. A preview
   * stops at its first error; these have the others.
   */
  readonly repeats?: readonly Text[] | undefined;
  /** The folder of the Pulumi project, in whose files declarations are looked for. */
  readonly folder: string;
  /** The same folder in the repository, without slashes at its ends; empty for the root. */
  readonly folderInRepository: string;
}

interface Text {
  /** For errors, such as the path of the file. */
  readonly name: string;
  readonly text: string;
}

export const formats = ["markdown", "text", "json", "github", "gitlab"] as const;

export interface PreviewReport extends Pick<Report, "outcome" | "verdict" | "title"> {
  /** 0 no change, 2 changes, 1 refused or failed. */
  readonly exitCode: 0 | 1 | 2;
  /** Writes the report. Throws if it is too long for Node.js; Markdown never is. */
  readonly as: (format: (typeof formats)[number]) => string;
}

const exitCodes = { unchanged: 0, changed: 2, refused: 1, failed: 1 } as const;

/** Creates the report. Throws if a file is none that Pulumi writes, or if two are of one form or of two stacks. */
export function createReport(output: PreviewOutput): PreviewReport {
  const { files, repeats = [], folder, folderInRepository, ...context } = output;
  const read = (texts: readonly Text[]) =>
    texts.flatMap(({ name, text }) =>
      context.exitCode && isEmpty(text) ? [] : [readInput(text, escapeText(name))],
    );
  const interpreted = () => {
    const inputs = read(files);
    const kinds = inputs.map(({ kind }) => kind);
    const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
    if (twice !== undefined)
      throw new ProviderError(`Two of the files are the same kind of input (${twice}). Pass one.`);
    const locate = createLocator(folder);
    return interpret(inputs, { ...context, repeats: read(repeats), locate });
  };
  const report = withLog(interpreted, context.log);
  const writers = {
    markdown: () => markdown(report),
    json: () => jsonText(report),
    github: () => githubAnnotations(report, folderInRepository),
    gitlab: () => gitlabCodeQuality(report, folderInRepository),
    text: () => terminalText(report),
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

/** Without a report, only the log says what happened. */
function withLog<T>(create: () => T, log = ""): T {
  try {
    return create();
  } catch (error) {
    if (!(error instanceof ProviderError) || log.trim() === "") throw error;
    const printed = escapeMessage(withoutSecrets(log.trim()));
    throw new ProviderError(`${error.message}\nThis is what pulumi printed:\n${printed}`);
  }
}
