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
  const parts = blocksOf(report).flatMap((block) => [
    terminalLine(block.title ?? []),
    contentOf(block),
  ]);
  return [title, ...parts.filter((part) => part !== "")].join("\n\n");
}

function contentOf(block: Block): string {
  switch (block.kind) {
    case "text":
      return block.lines.map(terminalLine).join("\n\n");
    case "alert": {
      const lines = block.lines.map(terminalLine);
      if (block.severity === "warning") return `warning: ${lines.join("\n  ")}`;
      return block.title === undefined ? lines.join("\n") : indented(lines);
    }
    case "table": {
      const rows = [block.columns, ...block.rows.map((cells) => cells.map(terminalLine))];
      return indented(columns(rows).split("\n"));
    }
    case "code":
      return indented(block.lines.map(escapedName));
    case "folded":
      return `${block.summary}:\n${indented(block.lines.map(escapedName))}`;
  }
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join("\n");
}

function terminalLine(line: Line): string {
  return line.map((part) => (typeof part === "string" ? part : escapedName(part.code))).join("");
}

function escapedName(text: string): string {
  return escapeText(text, lineLimit);
}
