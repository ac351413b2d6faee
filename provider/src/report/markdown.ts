/** Writes a report as Markdown of limited length, in which text from outside has no effect. */
import { escapeText } from "../messages/text";
import { type Block, type Line, blocksOf, outcomes } from "./layout";
import type { Report } from "./model";

/** The limit for Markdown, in characters. GitHub accepts 65,536 in a comment. */
const maxLength = 60_000;

/** How many rows of a table are not folded. */
const maxShown = 10;

/** How long a text from outside and a line of a message may be. */
const codeLimit = 300;
const lineLimit = 1000;

/** Writes Markdown, cut between two blocks if it is too long. */
export function markdown(report: Report): string {
  const blocks = [...titleOf(report), ...blocksOf(report).map(blockText)];
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
    outcomes[outcome],
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
      return lineText(block.line);
    case "caution":
    case "warning": {
      const lines = block.lines.map((line) => `> ${lineText(line)}`);
      return [`> [!${block.kind.toUpperCase()}]`, lines.join("<br>\n")].join("\n");
    }
    case "table":
      return tableText(block.columns, block.rows);
    case "message":
      return `${block.isWarning ? "> [!WARNING]\n" : ""}${quoted(block.text)}`;
    case "code":
      return fenced("text", block.lines);
    case "folded":
      return details(block.title, fenced(block.language, block.lines));
  }
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

/** Formats each line of a message as inline code, which wraps at every width, unlike a code block. */
function quoted(message: string): string {
  const lines = message.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => `> ${line.split(documentation).map(codeOrLink).join("")}`)
    .join("<br>\n");
}

/** An address in this project's documentation. No other address becomes a link. */
const documentation =
  /(https:\/\/github\.com\/pulumi-clouddb\/pulumi-clouddb\/blob\/main\/docs\/[\w./#-]+)(?= |$)/;

/** Formats a part of a line that was split at addresses, so every second part is an address. */
function codeOrLink(part: string, at: number): string {
  return at % 2 === 1 ? ` [documentation](${part}) ` : code(part.trim(), lineLimit);
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
function code(text: string, limit: number = codeLimit): string {
  const escaped = escapeText(text, limit);
  if (escaped.trim() === "") return "";
  const fence = "`".repeat(longestRun(escaped) + 1);
  // Markdown removes one space at each end.
  const space = /^[` ]|[` ]$/.test(escaped) ? " " : "";
  return `${fence}${space}${escaped}${space}${fence}`;
}
