/** Writes a report for a terminal: plain text, in which text from outside cannot control the terminal. */
import { escapeText } from "../messages/text";
import { type Block, type Line, contentOf, outcomes } from "../report/content";
import type { Report } from "../report/model";
import { columns } from "./command";

/** How long a line may be. */
const lineLimit = 1000;

export function terminalText(report: Report): string {
  const title = `${escapeText(report.title ?? "Preview")}: ${outcomes[report.outcome]}`;
  const blocks = contentOf(report).map((block) => linesOf(block).join("\n"));
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
      return block.lines.map((line) => `warning: ${lineText(line)}`);
    case "table": {
      const rows = [block.columns, ...block.rows.map((cells) => cells.map(lineText))];
      return indented(columns(rows).split("\n"));
    }
    case "message": {
      const lines = block.text.split("\n").map(escaped);
      return block.isWarning ? [`warning: ${lines.join("\n  ")}`] : indented(lines);
    }
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
