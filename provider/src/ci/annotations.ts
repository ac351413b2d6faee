/** Writes the errors of a report as annotations, which GitHub shows in the summary of a run and beside the lines. */
import { randomUUID } from "node:crypto";
import { relative, sep } from "node:path";
import { type Code, codeOf } from "../messages/errors";
import { counted } from "../messages/format";
import { escapeText } from "../messages/text";
import type { Message, Place, Report } from "../report/model";

/** GitHub shows ten annotations of a step. */
const maxAnnotations = 10;

/** The maximum lines of an annotation, and of its end with the advice and the code. */
const maxLines = 20;
const maxEndLines = 8;

/** The maximum characters of an annotation, of which runners remove what follows 4,096, and of a line. */
const maxLength = 4000;
const lineLimit = 1000;

interface Annotated {
  /** The folder of the Pulumi project. */
  readonly folder: string;
  /** What could not be written. */
  readonly problems: readonly string[];
}

/** Adds annotations to a text in which GitHub could otherwise find commands. */
export function withAnnotations(
  text: string,
  report: Report,
  { folder, problems }: Annotated,
): string {
  const end = randomUUID();
  const parts = [
    `::stop-commands::${end}`,
    text,
    `::${end}::`,
    githubAnnotations(report, pathInRepository(folder)),
    ...problems.map(ownAnnotation),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** Writes an annotation for a problem of this command, which has no resource and no line. */
export function ownAnnotation(text: string): string {
  return annotationOf({ resource: "pulumi-clouddb preview", text, code: codeOf(text) });
}

/** What an annotation says, and at which resource and line. */
interface Annotation extends Partial<Place>, Pick<Message, "text" | "code"> {}

/**
 * Writes an annotation for each refusal and error, at each of its resources.
 *
 * @param report what to annotate
 * @param folder of the Pulumi project in the repository, without slashes at its ends; empty for its root
 */
export function githubAnnotations(report: Report, folder: string): string {
  const errors = [...report.refusals, ...report.errors].flatMap(({ text, code, places }) =>
    places.map((place): Annotation => ({ ...place, text, code })),
  );
  const isUnexplained = report.outcome === "failed" && errors.length === 0;
  const all = isUnexplained ? [{ text: report.summary }] : errors;
  const more = all.length - maxAnnotations;
  const rest = { text: `and ${more + 1} more errors; see the report` };
  const shown = more > 0 ? [...all.slice(0, maxAnnotations - 1), rest] : all;
  return shown.map((annotation) => annotationOf(annotation, folder)).join("\n");
}

/** Formats an annotation. Its position is relative to the folder of the Pulumi project in the repository. */
function annotationOf(
  { resource = "pulumi preview", text, code, position }: Annotation,
  folder: string = "",
): string {
  const file = position && [folder, position.file].filter((part) => part !== "").join("/");
  const place = position && `file=${propertyOf(file ?? "")},line=${position.line},`;
  const lines = text.split("\n").map((line) => escapeText(line, lineLimit));
  const message = shortened(lines, code).join("\n");
  return `::error ${place ?? ""}title=${propertyOf(resource)}::${dataOf(message)}`;
}

/** Leaves out lines of a message that is too long for an annotation, in front of its advice and its code. */
function shortened(lines: readonly string[], code: Code | undefined): readonly string[] {
  if (fits(lines)) return lines;
  const end = code === undefined ? [] : adviceIn(lines, code);
  const start = lines.slice(0, lines.length - end.length);
  const withFirst = (count: number) => {
    const more = counted("and # more {line|lines} in the report", start.length - count);
    return [...start.slice(0, count), more, ...end];
  };
  let count = Math.min(maxLines, start.length) - 1;
  while (count > 0 && !fits(withFirst(count))) count--;
  return withFirst(count);
}

function fits(lines: readonly string[]): boolean {
  return lines.length <= maxLines && lines.join("\n").length <= maxLength;
}

/** Returns the end of a message: the lines below its table, or else the one with its code and those that follow. */
function adviceIn(lines: readonly string[], code: Code): readonly string[] {
  const last = lines.findLastIndex((line) => line.endsWith(`[clouddb-${code}]`));
  if (last === -1) return [];
  const row = lines.slice(0, last).findLastIndex((line) => line.startsWith(" "));
  const end = lines.slice(row === -1 ? last : row + 1);
  const isShort = end.length <= maxEndLines && end.join("\n").length <= maxLength / 2;
  return isShort ? end : [];
}

function pathInRepository(folder: string): string {
  const repository = process.env["GITHUB_WORKSPACE"] ?? folder;
  return relative(repository, folder).split(sep).join("/");
}

/** Escapes the text of a command of GitHub. */
function dataOf(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Escapes the value of a property of a command of GitHub, such as its title. */
function propertyOf(text: string): string {
  return dataOf(escapeText(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
