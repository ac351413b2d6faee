/** Writes a report for a terminal: plain text, in which text from outside cannot control the terminal. */
import { escapeText } from "../messages/text";
import { label, secret } from "./input";
import { stopText } from "./verdict";
import type { Change, Difference, Message, Report } from "./model";

/** How long a line may be. */
const lineLimit = 1000;

export function terminalText(report: Report): string {
  const { title = "Preview", outcome, verdict, refusals, errors, warnings, output } = report;
  const sections = [
    [`${title}: ${outcome}`, verdict],
    ...[...refusals, ...errors].map((each) => message("error", each)),
    report.isPartial ? [stopText(report)] : [],
    report.changes.flatMap(changeLines),
    report.outputs.map(outputLine),
    titled("Changed outside of the stack:", report.drift.flatMap(changeLines)),
    ...warnings.map((each) => message("warning", each)),
    report.others.map(({ provider, op, count }) => `${op} ${count} × ${provider}`),
    outcome === "failed" ? titled("Output:", output.flatMap(linesOf)) : [],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => escapeText(line, lineLimit)).join("\n"))
    .join("\n\n");
}

function message(severity: "error" | "warning", { resource, position, text }: Message): string[] {
  const place = position === undefined ? "" : ` (${position.file}:${position.line})`;
  const about = resource === undefined ? "" : ` ${resource}${place}`;
  return titled(`${severity}:${about}`, linesOf(text));
}

function changeLines({ op, type, name, from, to, receivers }: Change): string[] {
  const { lookups = [], direct = [], further = [], outputs = [] } = receivers ?? {};
  const reached = [
    ...[...lookups, ...direct, ...further].map(label),
    ...outputs.map((each) => `output ${each}`),
  ];
  return [
    `${op} ${type} ${name}: ${from ?? "(none)"} → ${to ?? "(none)"}`,
    ...(reached.length === 0 ? [] : [`  reaches ${reached.join(", ")}`]),
  ];
}

function outputLine({ name, old = "(none)", new: changed = "(none)" }: Difference): string {
  const values = changed === secret ? "changes (secret)" : `${old} → ${changed}`;
  return `output ${name}: ${values}`;
}

/** Indents lines below a title. Without lines, there is no title either. */
function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

const linesOf = (text: string) => text.split("\n");
