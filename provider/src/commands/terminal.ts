/** Text for a terminal, which text from outside cannot control: the report of a preview, and tables. */
import { escapeText } from "../messages/text";
import { type Block, type Line, blocksOf, outcomes } from "../report/layout";
import type { Report } from "../report/model";

const lineLimit = 1000;

export function terminalText(report: Report): string {
  const title = `${escapeText(report.title ?? "Preview")}: ${outcomes[report.outcome]}`;
  const blocks = blocksOf(report).map((block) => linesOf(block).join("\n"));
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
    case "code":
      return indented(block.lines.map(escaped));
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

/** Aligns the columns of a table. The texts must be escaped. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => row.map((text, at) => text.padEnd(widths?.[at] ?? 0)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}
