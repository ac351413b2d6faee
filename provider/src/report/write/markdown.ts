/** Writes a report as Markdown of limited length, in which text from outside has no effect. */
import { counted, listOfCounts } from "../../messages/format";
import { escapeText } from "../../messages/text";
import type { Report } from "../model";
import type { Block, Line } from "./blocks";
import { blocksOf, outcomes } from "./layout";
import { isRow } from "./ownMessages";

/**
 * The limits of a text: its bytes, without the sentence at the end of a cut one, and the rows or lines of each block.
 */
interface Limits {
  readonly maxLength: number;
  readonly maxRows: number;
}

/** GitHub accepts 65,536 characters in a comment, and 1 MiB in the summary of a job. */
const comment: Limits = { maxLength: 60_000, maxRows: 30 };
export const jobSummary: Limits = { maxLength: 1_000_000, maxRows: Infinity };

/** How many rows of a table are not folded. */
const maxShown = 10;

/** The maximum characters of a name or value in a line, and in a line of a block. */
const codeLimit = 300;
const lineLimit = 1000;

/**
 * Writes Markdown, which begins with the stack and the outcome as HTML comments. If it is too long, leaves out the last
 * blocks that are not essential, and counts what they have.
 */
export function markdown(report: Report, limits: Limits = comment): string {
  const start = titleLines(report);
  const left = { ...limits, maxLength: limits.maxLength - sum(start.map(lengthOf)) };
  const written = writtenBlocks(blocksOf(report), left);
  const kept = fittingBlocks(written, left);
  const texts = [...start, ...written.filter((each) => kept.has(each)).map(({ text }) => text)];
  const cut = written.filter((each) => !kept.has(each));
  if (cut.length === 0) return `${texts.join("\n\n")}\n`;
  const counts = countsOf(cut.map(({ block }) => block));
  const end = `A part of this report is left out, because it is too long${counts === "" ? "" : `: ${counts}`}.${linkOf(report)}`;
  return `${[...texts, end].join("\n\n")}\n`;
}

/** Counts the errors, warnings, rows of tables and folded blocks. */
function countsOf(blocks: readonly Block[]): string {
  const alerts = blocks.flatMap((block) => (block.kind === "alert" ? [block] : []));
  const countOf = (severity: "error" | "warning") =>
    sum(alerts.filter((alert) => alert.severity === severity).map(({ count }) => count));
  return listOfCounts([
    ["# {error|errors}", countOf("error")],
    ["# {warning|warnings}", countOf("warning")],
    [
      "# {row|rows} of tables",
      sum(blocks.map((block) => (block.kind === "table" ? block.rows.length : 0))),
    ],
    ["# folded {section|sections}", blocks.filter(({ kind }) => kind === "folded").length],
  ]);
}

/** A block and its Markdown. */
interface WrittenBlock {
  readonly block: Block;
  readonly text: string;
}

/** Writes each block. If even the essential ones do not fit, shortens the tables of refusals. */
function writtenBlocks(blocks: readonly Block[], limits: Limits): WrittenBlock[] {
  const written = blocks.map((block) => ({ block, text: blockText(block, limits) }));
  const essential = written.filter(({ block }) => block.isEssential);
  if (sum(essential.map(({ text }) => lengthOf(text))) <= limits.maxLength) return written;
  return blocks.map((block) => {
    const short =
      block.kind === "code" ? { ...block, lines: shortTable(block.lines, limits) } : block;
    return { block, text: blockText(short, limits) };
  });
}

/** Chooses blocks, the essential ones before all others, until one does not fit. */
function fittingBlocks(
  written: readonly WrittenBlock[],
  { maxLength }: Limits,
): ReadonlySet<WrittenBlock> {
  const rank = ({ block }: WrittenBlock) => (block.isEssential ? 0 : 1);
  const fitting = new Set<WrittenBlock>();
  let left = maxLength;
  for (const each of written.toSorted((a, b) => rank(a) - rank(b))) {
    left -= lengthOf(each.text);
    if (left < 0) break;
    fitting.add(each);
  }
  return fitting;
}

/** Returns the bytes of a text with the empty line after it. */
function lengthOf(text: string): number {
  return Buffer.byteLength(text) + 2;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Returns the HTML comments, by which a script finds the comment of a stack and skips one without changes, with the
 * heading, which has the stack, the outcome and the commit; and the link to the job's log.
 */
function titleLines(report: Report): string[] {
  const { title, outcome, commit } = report;
  // No name in it can end the comment.
  const stack = encodeURI(escapeText(title ?? ""));
  const short = /^[0-9a-f]{40}$/.test(commit ?? "") ? commit?.slice(0, 7) : commit;
  const heading = [
    title === undefined ? "" : `${code(title)}: `,
    outcomes[outcome],
    short === undefined ? "" : ` at ${code(short)}`,
  ];
  const link = linkOf(report).trim();
  const comments = `<!-- pulumi-clouddb stack: ${stack} -->\n<!-- outcome: ${outcome} -->`;
  return [`${comments}\n### ${heading.join("")}`, ...(link === "" ? [] : [link])];
}

/** Links the log of the job, unless the address has characters that could end the link. */
function linkOf({ job = "" }: Report): string {
  return /^https?:\/\/[\w.:-]+\/[\w./-]*$/.test(job) ? ` [Log of the job](${job})` : "";
}

function blockText(block: Block, limits: Limits): string {
  const content = contentText(block, limits);
  if (block.title === undefined) return content;
  const heading = `#### ${markdownLine(block.title)}`;
  return content === "" ? heading : `${heading}\n\n${content}`;
}

function contentText(block: Block, { maxRows }: Limits): string {
  switch (block.kind) {
    case "text":
      return block.lines.map((line) => markdownLine(line)).join("\n\n");
    case "alert": {
      const lines = block.lines.map((line) => markdownLine(line, lineLimit));
      const shown = lines.filter((line) => line !== "").map((line) => `> ${line}`);
      return `> [!${block.severity === "error" ? "CAUTION" : "WARNING"}]\n${shown.join("<br>\n")}`;
    }
    case "table":
      return tableText(block.columns, block.rows, maxRows);
    case "code":
      return fenced("text", block.lines);
    case "folded":
      return details(block.summary, fenced(block.language, firstLines(block.lines, maxRows)));
  }
}

/** Writes a table, whose later rows are folded, and the last ones only counted. */
function tableText(
  columns: readonly string[],
  rows: readonly (readonly Line[])[],
  maxRows: number,
): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  // Elsewhere, a backslash in code would be visible.
  const cell = (line: Line) => markdownLine(line).replaceAll("|", "\\|");
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

/** Shortens the table of a refusal, whose rows are indented, and keeps the advice below it. */
function shortTable(lines: readonly string[], { maxRows }: Limits): string[] {
  const others = lines.filter((line) => !isRow(line));
  return [...firstLines(lines.filter(isRow), maxRows), ...others];
}

function firstLines(lines: readonly string[], maxLines: number): readonly string[] {
  const more = lines.length - maxLines;
  return more > 0 ? [...lines.slice(0, maxLines), `… and ${more} more`] : lines;
}

/** The address of a page of this project's documentation. No other address becomes a link. */
const documentation =
  /(https:\/\/github\.com\/pulumi-clouddb\/pulumi-clouddb\/blob\/main\/docs\/(?:[\w-]+\/)*[\w-]+\.md(?:#[\w-]+)?)(?= |$)/;

function details(title: string, content: string): string {
  return `<details><summary>${title}</summary>\n\n${content}\n\n</details>`;
}

/** Writes a code block. Its fence is longer than any run of backticks in the lines, so these cannot end it. */
function fenced(language: string, lines: readonly string[]): string {
  const escaped = lines.map((line) => escapeText(line, lineLimit));
  const fence = "`".repeat(Math.max(3, longestRun(escaped.join("\n")) + 1));
  return [`${fence}${language}`, ...escaped, fence].join("\n");
}

/** Returns the length of the longest run of backticks. A text can have more runs than a function takes arguments. */
function longestRun(text: string): number {
  return Array.from(text.matchAll(/`+/g)).reduce((max, [{ length }]) => Math.max(max, length), 0);
}

/** Writes a line. Text from outside is inline code, which wraps at every width, and links to the documentation. */
function markdownLine(line: Line, limit?: number): string {
  return line
    .map((part) => (typeof part === "string" ? part : linkedCode(part.code, limit)))
    .join("");
}

function linkedCode(text: string, limit?: number): string {
  // Every second part is an address.
  const [whole = "", ...others] = text.split(documentation);
  if (others.length === 0) return code(whole, limit);
  const parts = [whole, ...others].map((part, at) =>
    at % 2 === 1 ? `[documentation](${part})` : code(part.trim(), limit),
  );
  return parts.filter((part) => part !== "").join(" ");
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
