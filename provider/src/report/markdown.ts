/** Writes a report as Markdown of limited length, in which text from outside has no effect. */
import { escapeText } from "../messages/text";
import { type Block, type Line, contentOf } from "./content";
import type { Report } from "./model";

/** The limit for Markdown, in characters. GitHub accepts 65,536 in a comment. */
const maxLength = 60_000;

/** How many rows of a table are not folded. */
const maxShown = 10;

/** How long a text from outside and a line of a message may be. */
const [codeLimit, lineLimit] = [300, 1000];

/** Writes Markdown, cut between two blocks if it is too long. */
export function markdown(report: Report): string {
  const blocks = [...titleOf(report), ...contentOf(report).map(blockText)];
  const end = `The rest of this report is left out, because it is too long.${linkOf(report)}`;
  let length = 0;
  const fits = blocks.findIndex((block) => (length += block.length + 2) > maxLength - end.length);
  return `${(fits === -1 ? blocks : [...blocks.slice(0, fits), end]).join("\n\n")}\n`;
}

/** The first line names the stack, the outcome and the commit. */
function titleOf(report: Report): string[] {
  const { title, outcome, commit } = report;
  const short = /^[0-9a-f]{40}$/.test(commit ?? "") ? commit?.slice(0, 7) : commit;
  const heading = [
    title === undefined ? "" : `${code(title)}: `,
    outcome,
    short === undefined ? "" : ` at ${code(short)}`,
  ];
  const link = linkOf(report).trim();
  return [`### ${heading.join("")}`, ...(link === "" ? [] : [link])];
}

function linkOf({ job = "" }: Report): string {
  return /^https?:\/\/[\w.:-]+\/[\w./-]*$/.test(job) ? ` [Log of the job](${job})` : "";
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `#### ${lineText(block.line)}`;
    case "text":
      return block.lines.map((line) => emphasized(lineText(line))).join("<br>\n");
    case "caution":
    case "warning": {
      const lines = block.lines.map((line) => `> ${emphasized(lineText(line))}`);
      return [`> [!${block.kind.toUpperCase()}]`, lines.join("<br>\n")].join("\n");
    }
    case "list":
      return block.items.map((lines) => `- ${lines.map(lineText).join("<br>")}`).join("\n");
    case "table":
      return tableText(block.columns, block.rows);
    case "messages":
      return block.texts.map(quoted).join("\n\n");
    case "folded":
      return details(block.title, fenced(block.language, block.lines));
  }
}

/** Makes the outcome at the start of a verdict bold. */
function emphasized(line: string): string {
  return line.replace(/^(Changes|Refused|Failed|Failed with \d+ errors?)(?=[:.])./, "**$&**");
}

function tableText(columns: readonly string[], rows: readonly (readonly Line[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  // Elsewhere, a backslash in code would be visible.
  const cell = (line: Line) => lineText(line).replaceAll("|", "\\|");
  const head = [row(columns), row(columns.map(() => "---"))];
  const written = rows.map((cells) => row(cells.map(cell)));
  const rest = written.slice(maxShown);
  const shown = [...head, ...written.slice(0, maxShown)].join("\n");
  if (rest.length === 0) return shown;
  return `${shown}\n\n${details(`${rest.length} more`, [...head, ...rest].join("\n"))}`;
}

/** Messages as prose, which wraps at every width, unlike a code block. */
function quoted(message: string): string {
  const lines = message.split("\n").map((line) => prose(escapeText(line, lineLimit)));
  return lines
    .map((line, at) =>
      `> ${line}${line === "" || (lines[at + 1] ?? "") === "" ? "" : "<br>"}`.trimEnd(),
    )
    .join("\n");
}

/** A title, below which the content is folded. */
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
function code(text: string): string {
  const escaped = escapeText(text, codeLimit);
  if (escaped.trim() === "") return "";
  const fence = "`".repeat(longestRun(escaped) + 1);
  // Markdown removes one space at each end.
  const space = /^[` ]|[` ]$/.test(escaped) ? " " : "";
  return `${fence}${space}${escaped}${space}${fence}`;
}

/** A word of a message, which is shown as it is or as code. */
interface Word {
  readonly start: string;
  readonly text: string;
  readonly end: string;
  readonly isCode: boolean;
}

/**
 * Formats a line of a message: plain words stay, and everything else becomes code, in which Markdown, HTML, links and
 * mentions have no effect. Only an address of this project's documentation becomes a link. A command, which has a
 * line of its own, becomes code as a whole.
 */
function prose(line: string): string {
  if (/^ {4}/.test(line)) return code(line.trim());
  const words: Word[] = [];
  for (const [at, text] of (line.trim().match(/`[^`]+`[^\s`]*|\S+/g) ?? []).entries()) {
    const word = wordOf(text, at === 0);
    const last = words.at(-1);
    const isContinued = last?.isCode && word.isCode && last.end === "" && word.start === "";
    if (isContinued && !text.startsWith("`"))
      words[words.length - 1] = { ...word, start: last.start, text: `${last.text} ${word.text}` };
    else words.push(word);
  }
  return words
    .map(({ start, text, end, isCode }) => `${start}${isCode ? code(text) : text}${end}`)
    .join(" ");
}

function wordOf(word: string, isFirst: boolean): Word {
  if (documentation.test(word))
    return { start: "", text: `[documentation](${word})`, end: "", isCode: false };
  const [, span, after = ""] = /^`([^`]+)`([.,;:!?)]*)$/.exec(word) ?? [];
  if (span !== undefined) return { start: "", text: span, end: after, isCode: true };
  const [, start = "", text = "", end = ""] = /^(["'(]*)(.*?)([.,;:!?)"']*)$/.exec(word) ?? [];
  const isPlain = /^(\p{L}+([’'-]\p{L}+)*|\d+([.,]\d+)*)?$/u.test(text);
  // A number at the start of a line could begin a list.
  return isPlain && !(isFirst && /^\d+[.)]/.test(word))
    ? { start: "", text: word, end: "", isCode: false }
    : { start, text, end, isCode: true };
}

const documentation =
  /^https:\/\/github\.com\/pulumi-clouddb\/pulumi-clouddb\/blob\/main\/docs\/[\w./#-]+$/;
