/** Writes a report as Markdown of limited length, in which text from outside has no effect. */
import { escapeText } from "../messages/text";
import type { Block, Line } from "./blocks";
import { blocksOf, outcomes } from "./layout";
import type { Report } from "./model";
import { counted } from "./summary";

/** The bytes of a text, without the end of a cut one, and the rows and lines of its tables and folded texts. */
interface Limits {
  readonly maxLength: number;
  readonly maxRows: number;
}

/** GitHub accepts 65,536 characters in a comment, and 1 MiB in the summary of a job. */
const comment: Limits = { maxLength: 60_000, maxRows: 30 };
export const jobSummary: Limits = { maxLength: 1_000_000, maxRows: Infinity };

const maxShown = 10;

const codeLimit = 300;
const lineLimit = 1000;

/** Writes Markdown, cut between two blocks if it is too long. */
export function markdown(report: Report, limits: Limits = comment): string {
  const blocks = blocksOf(report);
  const texts = [...titleOf(report), ...blocks.map((block) => blockText(block, limits))];
  const fits = countFitting(texts, limits);
  if (fits === texts.length) return `${texts.join("\n\n")}\n`;
  const cut = blocks.slice(fits - texts.length);
  const counts = [
    counted("# {warning|warnings}", cut.filter((block) => isWarning(block)).length),
    counted("# {section|sections}", cut.filter(({ kind }) => kind === "heading").length),
  ];
  const end = `The rest of this report is left out, because it is too long: ${counts.join(" and ")}.${linkOf(report)}`;
  return `${[...texts.slice(0, fits), end].join("\n\n")}\n`;
}

/** Returns how many of these texts fit, with an empty line after each. */
function countFitting(texts: readonly string[], { maxLength }: Limits): number {
  let length = 0;
  for (const [at, text] of texts.entries()) {
    length += Buffer.byteLength(text) + 2;
    if (length > maxLength) return at;
  }
  return texts.length;
}

function isWarning(block: Block): boolean {
  return block.kind === "warning" || (block.kind === "message" && block.isWarning);
}

function titleOf(report: Report): string[] {
  const { title, outcome, commit } = report;
  const short = /^[0-9a-f]{40}$/.test(commit ?? "") ? commit?.slice(0, 7) : commit;
  const heading = [
    title === undefined ? "" : `${code(title)}: `,
    outcomes[outcome],
    short === undefined ? "" : ` at ${code(short)}`,
  ];
  const link = linkOf(report).trim();
  return [`### ${heading.join("")}`, ...(link === "" ? [] : [link])];
}

function linkOf({ job = "" }: Report): string {
  return /^https?:\/\/[\w.:-]+\/[\w./-]*$/.test(job) ? ` [Log of the job](${job})` : "";
}

function blockText(block: Block, { maxRows }: Limits): string {
  switch (block.kind) {
    case "heading":
      return `#### ${lineText(block.line)}`;
    case "text":
      return lineText(block.line);
    case "caution":
    case "warning": {
      const lines = block.lines.map((line) => `> ${lineText(line)}`);
      return [`> [!${block.kind.toUpperCase()}]`, lines.join("<br>\n")].join("\n");
    }
    case "table":
      return tableText(block.columns, block.rows, maxRows);
    case "message":
      return `${block.isWarning ? "> [!WARNING]\n" : ""}${quoted(block.text)}`;
    case "code":
      return fenced("text", block.lines);
    case "folded":
      return details(block.title, fenced(block.language, firstLines(block.lines, maxRows)));
  }
}

function tableText(
  columns: readonly string[],
  rows: readonly (readonly Line[])[],
  maxRows: number,
): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  // Elsewhere, a backslash in code would be visible.
  const cell = (line: Line) => lineText(line).replaceAll("|", "\\|");
  const head = [row(columns), row(columns.map(() => "---"))];
  const written = rows.slice(0, maxRows).map((cells) => row(cells.map(cell)));
  const rest = written.slice(maxShown);
  const more = rows.length - written.length;
  return [
    [...head, ...written.slice(0, maxShown)].join("\n"),
    ...(rest.length === 0 ? [] : [details(`${rest.length} more`, [...head, ...rest].join("\n"))]),
    ...(more === 0 ? [] : [counted("And # more {row|rows}.", more)]),
  ].join("\n\n");
}

function firstLines(lines: readonly string[], maxLines: number): readonly string[] {
  const more = lines.length - maxLines;
  return more > 0 ? [...lines.slice(0, maxLines), `… and ${more} more`] : lines;
}

/** Formats each line of a message as inline code, which wraps at every width, unlike a code block. */
function quoted(message: string): string {
  const lines = message.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => `> ${line.split(documentation).map(codeOrLink).join("")}`)
    .join("<br>\n");
}

/** The address of a page of this project's documentation. No other address becomes a link. */
const documentation =
  /(https:\/\/github\.com\/pulumi-clouddb\/pulumi-clouddb\/blob\/main\/docs\/(?:[\w-]+\/)*[\w-]+\.md(?:#[\w-]+)?)(?= |$)/;

/** Formats a part of a line that was split at addresses, so every second part is an address. */
function codeOrLink(part: string, at: number): string {
  return at % 2 === 1 ? ` [documentation](${part}) ` : code(part.trim(), lineLimit);
}

function details(title: string, content: string): string {
  return `<details><summary>${title}</summary>\n\n${content}\n\n</details>`;
}

function fenced(language: string, lines: readonly string[]): string {
  const escaped = lines.map((line) => escapeText(line, lineLimit));
  const fence = "`".repeat(Math.max(3, longestRun(escaped.join("\n")) + 1));
  return [`${fence}${language}`, ...escaped, fence].join("\n");
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([{ length }]) => length));
}

function lineText(line: Line): string {
  return line.map((part) => (typeof part === "string" ? part : code(part.code))).join("");
}

/** Formats text from outside as code, in which Markdown, HTML and mentions have no effect. */
function code(text: string, limit: number = codeLimit): string {
  const escaped = escapeText(text, limit);
  if (escaped.trim() === "") return "";
  const fence = "`".repeat(longestRun(escaped) + 1);
  // Markdown removes one space at each end.
  const space = /^[` ]|[` ]$/.test(escaped) ? " " : "";
  return `${fence}${space}${escaped}${space}${fence}`;
}
