/** Writes the errors of a report as annotations, which GitHub reads from the output of a step. */
import { escapeText } from "../messages/text";
import type { Message, Report } from "./model";

/** GitHub shows ten annotations of a step. */
const maxAnnotations = 10;

/** How many lines of a message are shown, and how long each may be. The report has all of it. */
const maxLines = 4;
const lineLimit = 300;

/**
 * Writes an annotation for each refusal and error.
 *
 * @param report what to annotate
 * @param folder of the Pulumi project in the repository, without slashes at its ends; empty for its root
 */
export function githubAnnotations(report: Report, folder: string): string {
  const errors = [...report.refusals, ...report.errors];
  const unexplained = { resource: undefined, text: report.summary, position: undefined };
  const all = report.outcome === "failed" && errors.length === 0 ? [unexplained] : errors;
  const more = all.length - maxAnnotations;
  const rest = { ...unexplained, text: `and ${more + 1} more errors; see the report` };
  const shown = more > 0 ? [...all.slice(0, maxAnnotations - 1), rest] : all;
  return shown.map((message) => annotation(message, folder)).join("\n");
}

/** Formats an annotation, which has a position only if the folder is known. */
export function annotation(
  { resource = "pulumi preview", text, position }: Message,
  folder: string = "",
): string {
  const file = position && [folder, position.file].filter((part) => part !== "").join("/");
  const place = position && `file=${propertyOf(file ?? "")},line=${position.line},`;
  const lines = text.split("\n").slice(0, maxLines);
  const message = lines.map((line) => escapeText(line, lineLimit)).join("\n");
  return `::error ${place ?? ""}title=${propertyOf(resource)}::${dataOf(message)}`;
}

function dataOf(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function propertyOf(text: string): string {
  return dataOf(escapeText(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
