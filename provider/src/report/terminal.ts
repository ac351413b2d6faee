/** Writes a report for a terminal. */
import { escapeText } from "../messages/text";
import type { Change, Message, Report } from "./model";

/** How long a line may be. */
const lineLimit = 1000;

/** Writes a report as plain text, in which text from outside cannot control a terminal. */
export function terminalText(report: Report): string {
  const {
    title = "Preview",
    outcome,
    verdict,
    refusals,
    errors,
    changes,
    drift,
    warnings,
  } = report;
  const sections = [
    [`${title}: ${outcome}`, verdict],
    ...[...refusals, ...errors].map((each) => message("error", each)),
    changes.map(change),
    titled("Changed outside of the stack:", drift.map(change)),
    ...warnings.map((each) => message("warning", each)),
    titled(
      "Other providers:",
      report.others.map(({ provider, op, count }) => `${op} ${count} × ${provider}`),
    ),
    outcome === "failed" ? titled("Output:", report.output.flatMap(linesOf)) : [],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => escapeText(line, lineLimit)).join("\n"))
    .join("\n\n");
}

function message(severity: "error" | "warning", { resource, position, text }: Message): string[] {
  const place = position === undefined ? "" : ` (${position.file}:${position.line})`;
  if (resource === undefined) return [`${severity}:`, ...indented(linesOf(text))];
  return [`${severity}: ${resource}${place}`, ...indented(linesOf(text))];
}

function change({ op, type, name, from = "(none)", to = "(none)" }: Change): string {
  return `${op} ${type} ${name}: ${from} → ${to}`;
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...indented(lines)];
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

const linesOf = (text: string) => text.split("\n");
