/** Writes a report as Markdown of limited length, in which text from outside has no effect. */
import { escapeText } from "../messages/text";
import { type ResourceName, label, secret, shortType } from "./input";
import type { Change, Message, Receivers, Refusal, Report } from "./model";
import { counted, preventing, stopText } from "./verdict";

/** The limit for Markdown, in characters. GitHub accepts 65,536 in a comment. */
const maxLength = 60_000;

/** How many errors, and how many refusals, have a section. */
const maxSections = 40;

/** How many clusters, and how many receivers of a type, are shown unfolded; how many lines of an error. */
const [maxClusters, maxReceivers, maxQuoted] = [10, 5, 12];

/** How long a cell and a line of a message may be. */
const [cellLimit, lineLimit] = [300, 1000];

/** Orders names as people do: `shop-2` before `shop-10`. */
const { compare } = new Intl.Collator("en", { numeric: true });

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
  const { title, outcome, refusals, errors, changes, drift, warnings, current } = report;
  const verdict = report.verdict.replace(/^[\w ]+[:.]/, "**$&**");
  const hasFailed = outcome === "refused" || outcome === "failed";
  const sections = [
    section(9, [`### ${title === undefined ? "" : `${code(title)}: `}${outcome}`, ""]),
    section(9, origin(report)),
    section(9, hasFailed ? ["> [!CAUTION]", `> ${verdict}`] : [verdict]),
    ...refusals.slice(0, described).flatMap((each) => refusalSections(each, refusals.length > 1)),
    section(8, moreThan(described, refusals.length, "refusal")),
    ...errors.slice(0, described).flatMap(errorSections),
    section(6, moreThan(described, errors.length, "error")),
    ...stopSections(report),
    list(5, "#### Changes", changes.map(changeItem)),
    table(5, "#### Stack outputs", ["output", "change"], outputRows(report)),
    table(
      5,
      "#### Resources",
      ["resource", "of", "now"],
      current.map(({ type, name, ...each }) => [
        `${type} ${code(name)}`,
        code(each.subject),
        value(each.to),
      ]),
    ),
    list(
      4,
      "#### Changed outside of the stack",
      drift.map(
        (each) => `${subject(each)}: ${value(each.from)} → ${value(each.to ?? "(deleted)")}`,
      ),
    ),
    quoted(
      3,
      warnings.length === 1 ? "#### Warning" : "#### Warnings",
      warnings.map(
        ({ resource, text }) => `${resource === undefined ? "" : `${resource}: `}${text}`,
      ),
    ),
    section(9, hasFailed || report.unchanged === 0 ? [] : ["", `${report.unchanged} unchanged.`]),
    table(
      2,
      "#### Other providers",
      ["provider", "change", "resources"],
      report.others.map(({ provider, op, count }) => [code(provider), code(op), String(count)]),
    ),
    folded(1, "All changed properties", "diff", [...changes, ...drift].flatMap(diffLines)),
    folded(1, "All receivers", "text", changes.flatMap(receiverLines)),
    folded(
      0,
      "Output",
      "text",
      report.output.flatMap((text) => text.split("\n")),
    ),
  ];
  return `${fit(sections).flat().join("\n").trim()}\n`;
}

/** The commit and the job. */
function origin({ commit, job }: Report): string[] {
  const isLink = /^https?:\/\/[\w.:-]+\/[\w./-]*$/.test(job ?? "");
  const parts = [commit && code(commit), isLink && `[log of the job](${job ?? ""})`].filter(
    Boolean,
  );
  return parts.length === 0 ? [] : [parts.join(" · "), ""];
}

function refusalSections(refusal: Refusal, isCounted: boolean): Section[] {
  const { clusters, count, projectId, advice } = refusal;
  const rows = clusters
    .toSorted((a, b) => compare(a.name, b.name))
    .map(({ name, version }) => [code(name), code(version)]);
  const columns = ["cluster", "version"];
  const [more, folded] = [count - clusters.length, rows.slice(maxClusters)];
  const command = code(`npx pulumi-clouddb readiness --project ${projectId}`);
  return [
    section(8, ["", `#### ${where(refusal)} cannot be disabled`]),
    section(8, isCounted && count > 0 ? ["", `${preventing(refusal)}.`] : []),
    table(8, "", columns, rows.slice(0, maxClusters)),
    details(`${folded.length} more clusters`, table(7, "", columns, folded)),
    section(8, more === 0 ? [] : ["", `And ${more} more: ${command}`]),
    quoted(7, "", [advice]),
  ];
}

/** An error as prose. Its stack trace is folded. */
function errorSections(error: Message): Section[] {
  const lines = error.text.split("\n");
  const trace = lines.findIndex((line) => /^\s+at /.test(line));
  const end = Math.min(trace === -1 ? lines.length : trace, maxQuoted);
  const about = error.resource === undefined ? "" : ` of ${where(error)}`;
  return [
    quoted(6, `#### Error${about}`, [lines.slice(0, end).join("\n")]),
    folded(2, "More of this error", "text", lines.slice(end)),
  ];
}

function stopSections(report: Report): Section[] {
  if (!report.isPartial) return [];
  return [
    section(8, ["", stopText(report)]),
    folded(2, "Not previewed", "text", (report.notPreviewed ?? []).map(label).sort(compare)),
  ];
}

/** What changes, and what receives it. */
function changeItem(change: Change): string {
  const { op, from, to, cause, receivers } = change;
  const values = [from, to].flatMap((each) => (each === undefined ? [] : [value(each)]));
  const by = cause === "service" ? ", because of a change in the service" : "";
  const lines = [`${op.replaceAll("-", " ")} ${subject(change)}${by}`, values.join(" → ")];
  return [...lines, ...(receivers === undefined ? [] : [reach(receivers)])]
    .filter((line) => line !== "")
    .join("<br>");
}

/** Such as "reaches Secret `orders-db`, then Deployment `api`; output `url`". */
function reach({ lookups, direct, further, outputs }: Receivers): string {
  const resources = [byType(direct), byType(further)].filter((each) => each !== "");
  const parts = [
    lookups.length === 0
      ? ""
      : `${counted("used by the {lookup|lookups}", lookups.length)} ${named(lookups.map(({ name }) => name))}`,
    resources.length === 0 ? "" : `reaches ${resources.join(", then ")}`,
    outputs.length === 0 ? "" : `${counted("{output|outputs}", outputs.length)} ${named(outputs)}`,
  ];
  return parts.filter((each) => each !== "").join("; ");
}

/** Names some resources of each type, such as "Secret `a`, Deployment `b`, `c` and 98 more". */
function byType(resources: readonly ResourceName[]): string {
  const groups = new Map<string, string[]>();
  for (const { type, name } of resources) {
    const group = groups.get(type) ?? [];
    if (group.push(name) === 1) groups.set(type, group);
  }
  const plain = (type: string) => (/^\w{1,100}$/.test(type) ? type : code(type));
  return [...groups].map(([type, names]) => `${plain(shortType(type))} ${named(names)}`).join(", ");
}

function named(names: readonly string[]): string {
  const more = names.length - maxReceivers;
  const shown = names.toSorted(compare).slice(0, maxReceivers).map(code).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function receiverLines({ type, name, receivers }: Change): string[] {
  const { direct = [], further = [] } = receivers ?? {};
  if (direct.length + further.length <= maxReceivers) return [];
  return [`${type} ${name}:`, ...[...direct, ...further].map(label).sort(compare)];
}

function outputRows({ changes, outputs, secretOutputs }: Report): string[][] {
  const cell = (text = "") => (text === secret ? "(secret)" : value(text));
  const rows = outputs.map(({ name, old, new: changed }) => {
    if (old === undefined) return [code(name), `added<br>${cell(changed)}`];
    if (changed === undefined) return [code(name), `removed<br>${cell(old)}`];
    return [
      code(name),
      changed === secret ? "changes (secret)" : `${cell(old)}<br>→ ${cell(changed)}`,
    ];
  });
  const canChange = outputs.length > 0 || changes.some(({ type }) => type !== "PrivateIpMode");
  const hidden = canChange ? secretOutputs : [];
  return [...rows, ...hidden.map((name) => [code(name), "can change (secret)"])];
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

function list(importance: number, title: string, items: readonly string[]): Section {
  const head = items.length === 0 ? [] : [...withSpace(title), ""];
  return section(
    importance,
    head,
    items.map((item) => `- ${item}`),
  );
}

/** Messages as prose, which wraps at every width, unlike a code block. */
function quoted(importance: number, title: string, messages: readonly string[]): Section {
  if (messages.length === 0) return section(importance, []);
  const lines = limited(messages.flatMap((each) => ["", ...each.split("\n")])).map(prose);
  const rows = lines.map((line, at) => {
    const end = (lines[at + 1] ?? "") === "" ? "" : "<br>";
    return line === "" ? "" : `> ${line}${end}`;
  });
  return section(importance, withSpace(title), rows);
}

/** A title in a summary, below which the section is folded. */
function details(title: string, { importance, head, rows, foot }: Section): Section {
  if (rows.length === 0) return section(importance, []);
  const summary = `<details><summary>${title}</summary>`;
  return section(importance, ["", summary, ...head], rows, [...foot, "", "</details>"]);
}

function folded(
  importance: number,
  title: string,
  kind: "diff" | "text",
  lines: readonly string[],
): Section {
  const rows = limited(lines);
  // A fence that no line can end.
  const runs = rows.flatMap((line) => line.match(/`+/g) ?? []);
  const fence = "`".repeat(runs.reduce((most, { length }) => Math.max(most, length + 1), 3));
  return details(title, section(importance, ["", `${fence}${kind}`], rows, [fence]));
}

/** Escapes lines. One for which there is no room is only counted. */
function limited(lines: readonly string[]): string[] {
  let room = maxLength;
  return lines.map((line) => {
    if (room < 0) return "";
    const escaped = escapeText(line, lineLimit);
    room -= escaped.length + 1;
    return escaped;
  });
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

/**
 * Formats a line of a message: plain words stay, and everything else becomes code, in which Markdown, HTML, links and
 * mentions have no effect. Only an address of this project's documentation becomes a link. A command, which has a
 * line of its own, becomes code as a whole.
 */
function prose(line: string): string {
  if (/^ {4}/.test(line)) return code(line.trim());
  const words = line
    .trim()
    .split(/ +/)
    .map((word, at) => {
      if (documentation.test(word)) return `[documentation](${word})`;
      const [, start = "", middle = "", end = ""] =
        /^(["'(]*)(.*?)([.,;:!?)"']*)$/.exec(word) ?? [];
      const isPlain = /^(\p{L}+([’'-]\p{L}+)*|\d+([.,]\d+)*)?$/u.test(middle);
      return isPlain && !(at === 0 && /^\d+[.)]/.test(word))
        ? word
        : `${start}${code(middle)}${end}`;
    });
  return words.join(" ").replaceAll("` `", " ");
}

const documentation =
  /^https:\/\/github\.com\/pulumi-clouddb\/pulumi-clouddb\/blob\/main\/docs\/[\w./#-]+$/;

/** The kind of a string and its host; or whether a mode is on. */
function value(text = ""): string {
  const [, kind = "", host = ""] = /^(\w+) (.*)$/s.exec(text) ?? [];
  return kind === "" ? code(text) : `${code(kind)} ${code(host)}`;
}

function subject({ type, name, subject: of, position }: Change): string {
  return `${where({ resource: `${type} ${name}`, position })} of ${code(of)}`;
}

/** Names the resource of a message, and its place in the program. */
function where({ resource = "", position }: Pick<Message, "resource" | "position">): string {
  return `${code(resource)}${position === undefined ? "" : ` (${code(`${position.file}:${position.line}`)})`}`;
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
