/** Writes a report for a terminal, which text from outside cannot control. */
import { columns } from "../../messages/format";
import { escapeText } from "../../messages/text";
import type { Report } from "../model";
import type { Block, Line } from "./blocks";
import { blocksOf, outcomes } from "./layout";

/** The maximum characters of a line from outside. */
const lineLimit = 1000;

/** Writes the title of a report and its blocks, with an empty line between them. */
export function terminalText(report: Report): string {
  const title = `${escapeText(report.title ?? "Preview")}: ${outcomes[report.outcome]}`;
  const blocks = blocksOf(report).map((block) => linesOf(block).join("\n"));
  return [title, ...blocks].join("\n\n");
}

function linesOf(block: Block): string[] {
  switch (block.kind) {
    case "heading":
    case "text":
      return [terminalLine(block.line)];
    case "caution":
      return block.lines.map(terminalLine);
    case "warning":
      return [`warning: ${block.lines.map(terminalLine).join("\n  ")}`];
    case "table": {
      const rows = [block.columns, ...block.rows.map((cells) => cells.map(terminalLine))];
      return indented(columns(rows).split("\n"));
    }
    case "message": {
      const lines = block.text.split("\n").map(escapedName);
      return block.severity === "warning" ? [`warning: ${lines.join("\n  ")}`] : indented(lines);
    }
    case "code":
      return indented(block.lines.map(escapedName));
    case "folded":
      return [`${block.title}:`, ...indented(block.lines.map(escapedName))];
  }
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function terminalLine(line: Line): string {
  return line.map((part) => (typeof part === "string" ? part : escapedName(part.code))).join("");
}

function escapedName(text: string): string {
  return escapeText(text, lineLimit);
}
