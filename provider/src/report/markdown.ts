/** Writes a report as Markdown of limited length, in which text from outside has no effect. */
import { escapeText } from "../messages/text";
import type { Change, Message, Refusal, Report } from "./model";

/** The limit for Markdown, in characters. GitHub accepts 65,536 in a comment. */
const maxLength = 60_000;

/** How many errors, and how many refusals, have a section. */
const maxSections = 40;

/** How long a cell and a line of a message may be. */
const [cellLimit, lineLimit] = [300, 1000];

/** Where messages are wrapped: code blocks do not wrap, and wider ones must be scrolled. */
const wrapWidth = 100;

/** A part of the Markdown. Rows are left out, the last ones first, if there is no room for them. */
interface Section {
  /** The lines before the rows, also if all rows are left out. */
  readonly head: readonly string[];
  readonly rows: readonly string[];
  /** The lines after the rows. */
  readonly foot: readonly string[];
  /** Which sections lose their rows first: those with the lowest importance. */
  readonly importance: number;
}

/** Writes Markdown of limited length, without cutting anything in the middle. */
export function markdown(report: Report): string {
  // Long names can leave no room for the headings of all sections.
  for (let described = maxSections; ; described = Math.floor(described / 2)) {
    const text = markdownOf(report, described);
    if (text.length <= maxLength || described === 0) return text;
  }
}

function markdownOf(report: Report, described: number): string {
  const { title, outcome, verdict, refusals, errors, changes, drift, warnings, current } = report;
  const lead = verdict.replace(/^[\w ]+[:.]/, "**$&**");
  const sections = [
    section(9, [`### ${title === undefined ? "" : `${code(title)}: `}${outcome}`, "", lead]),
    ...refusals.slice(0, described).flatMap(refusalSections),
    section(8, moreThan(described, refusals.length, "refusal")),
    ...errors
      .slice(0, described)
      .map((error) => fenced(6, `#### Error${about(error)}`, error.text.split("\n"))),
    section(6, moreThan(described, errors.length, "error")),
    table(5, "#### Changes", ["resource", "change", "from", "to"], changes.map(changeRow)),
    table(5, "#### Resources", ["resource", "of", "now"], current.map(resourceRow)),
    table(
      4,
      "#### Changed outside of the stack",
      ["resource", "recorded", "found"],
      drift.map((each) => [
        resourceCell(each),
        valueCell(each.from),
        valueCell(each.to ?? "(deleted)"),
      ]),
    ),
    fenced(
      3,
      warnings.length === 1 ? "#### Warning" : "#### Warnings",
      warnings.flatMap(({ resource, text }, at) => {
        const lines = `${resource === undefined ? "" : `${resource}: `}${text}`.split("\n");
        return at === 0 ? lines : ["", ...lines];
      }),
    ),
    section(
      9,
      ["changed", "unchanged"].includes(outcome) && report.unchanged > 0
        ? ["", `${report.unchanged} unchanged.`]
        : [],
      report.undescribed.map(
        ({ op, count }) =>
          `The input counts, but does not describe ${count} × ${code(op)}: pass an event log (\`--event-log\`).`,
      ),
    ),
    table(
      2,
      "#### Other providers",
      ["provider", "change", "resources"],
      report.others.map(({ provider, op, count }) => [code(provider), code(op), String(count)]),
    ),
    folded(1, "All changed properties", "diff", [...changes, ...drift].flatMap(diffLines)),
    folded(
      0,
      "Output",
      "text",
      report.output.flatMap((text) => text.split("\n")),
    ),
  ];
  return `${fit(sections).flat().join("\n").trim()}\n`;
}

function refusalSections(refusal: Refusal): Section[] {
  const { clusters, count, projectId, advice } = refusal;
  const more = count - clusters.length;
  const rows = clusters.map(({ name, version }) => [code(name), code(version)]);
  const command = code(`npx pulumi-clouddb readiness --project ${projectId}`);
  return [
    section(8, ["", `#### ${where(refusal)} cannot be disabled`]),
    table(8, "", ["cluster", "version"], rows),
    section(8, more === 0 ? [] : ["", `And ${more} more: ${command}`]),
    fenced(7, "", advice.split("\n")),
  ];
}

function moreThan(described: number, all: number, what: "refusal" | "error"): string[] {
  const more = all - described;
  return more <= 0 ? [] : ["", `And ${more} more ${what}${more === 1 ? "" : "s"}.`];
}

function section(
  importance: number,
  head: readonly string[],
  rows: readonly string[] = [],
  foot: readonly string[] = [],
): Section {
  return { importance, head, rows, foot };
}

const withSpace = (title: string) => (title === "" ? [] : ["", title]);

function table(
  importance: number,
  title: string,
  names: string[],
  rows: readonly string[][],
): Section {
  if (rows.length === 0) return section(importance, []);
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const head = [...withSpace(title), "", row(names), row(names.map(() => "---"))];
  return section(importance, head, rows.map(row));
}

function fenced(
  importance: number,
  title: string,
  lines: readonly string[],
  kind = "text",
): Section {
  if (lines.length === 0) return section(importance, []);
  const wrapping = new RegExp(`(?=.{${wrapWidth + 1}})(.{1,${wrapWidth}}) (?=\\S)`, "g");
  let room = maxLength;
  const rows = lines.flatMap((line) => {
    // A row for which there is no room is only counted.
    if (room < 0) return [""];
    const escaped = escapeText(line, lineLimit);
    room -= escaped.length + 1;
    return kind === "text" ? escaped.replace(wrapping, "$1\n").split("\n") : [escaped];
  });
  // A fence that no line can end.
  const runs = rows.flatMap((line) => line.match(/`+/g) ?? []);
  const fence = "`".repeat(runs.reduce((most, { length }) => Math.max(most, length + 1), 3));
  return section(importance, [...withSpace(title), "", `${fence}${kind}`], rows, [fence]);
}

function folded(
  importance: number,
  title: string,
  kind: string,
  lines: readonly string[],
): Section {
  const summary = `<details><summary>${title}</summary>`;
  const { head, rows, foot } = fenced(importance, summary, lines, kind);
  return section(importance, head, rows, foot.length > 0 ? [...foot, "", "</details>"] : []);
}

/** Removes rows, those of the least important sections first, and counts them. */
function fit(sections: readonly Section[]): string[][] {
  const length = (lines: readonly string[]) =>
    lines.reduce((sum, line) => sum + line.length + 1, 0);
  // Leaves room for the line that counts what is left out, once for each section.
  let excess =
    length(sections.flatMap(({ head, rows, foot }) => [...head, ...rows, ...foot])) -
    (maxLength - sections.length * 40);
  const left = new Map(sections.map((each) => [each, [...each.rows]]));
  const leastFirst = sections.toReversed().sort((a, b) => a.importance - b.importance);
  for (const rows of leastFirst.map((each) => left.get(each) ?? [])) {
    while (excess > 0 && rows.length > 0) excess -= length([rows.pop() ?? ""]);
  }
  return sections.map((each) => {
    const rows = left.get(each) ?? [];
    const missing = each.rows.length - rows.length;
    const count = missing > 0 ? ["", `(${missing} more left out)`] : [];
    return [...each.head, ...rows, ...each.foot, ...count];
  });
}

/**
 * Formats text from outside as code, in which Markdown, HTML and mentions have no effect. A pipe would end the
 * cell of a table, a backtick the code.
 */
function code(text: string): string {
  const escaped = escapeText(text, cellLimit).replace(/[|`]/g, (each) =>
    each === "|" ? "\\u{7c}" : "\\u{60}",
  );
  return escaped.trim() === "" ? "" : `\`${escaped}\``;
}

function changeRow({ type, name, subject, op, from, to }: Change): string[] {
  const action = op.replaceAll("-", " ");
  return [resourceCell({ type, name, subject }), code(action), valueCell(from), valueCell(to)];
}

/** The kind of a string, and its host below; or whether a mode is on. */
function valueCell(value = ""): string {
  const [, kind = "", host = ""] = /^(\w+) (.*)$/s.exec(value) ?? [];
  return kind === "" ? code(value) : `${code(kind)}<br>${code(host)}`;
}

function resourceCell({ type, name, subject }: Pick<Change, "type" | "name" | "subject">): string {
  return `${type} ${code(name)}<br>${code(subject)}`;
}

function resourceRow({ type, name, subject, to }: Change): string[] {
  return [`${type} ${code(name)}`, code(subject), valueCell(to)];
}

/** Names the resource of a message, and its place in the program. */
function where({ resource = "", position }: Message): string {
  return `${code(resource)}${position === undefined ? "" : ` (${code(`${position.file}:${position.line}`)})`}`;
}

function about(message: Message): string {
  return message.resource === undefined ? "" : ` of ${where(message)}`;
}

function diffLines({ type, name, op, properties }: Change): string[] {
  if (properties.length === 0) return [];
  return [
    `@@ ${type} ${name}: ${op} @@`,
    ...properties.flatMap((property) => [
      ...(property.old === undefined ? [] : [`- ${property.name}: ${property.old}`]),
      ...(property.new === undefined ? [] : [`+ ${property.name}: ${property.new}`]),
    ]),
  ];
}
