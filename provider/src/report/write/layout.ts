/** Puts a report into blocks, the most important ones first. */
import { counted } from "../../messages/format";
import type {
  Change,
  Difference,
  Message,
  OtherChange,
  Place,
  Report,
  StringChange,
} from "../model";
import { label } from "../resourceNames";
import { plainText } from "../values";
import {
  type Block,
  type Column,
  type Line,
  compareNames,
  essential,
  firstOf,
  folded,
  heading,
  joined,
  names,
  namesByType,
  table,
  text,
  withoutCommonStart,
} from "./blocks";
import { modeBlocks } from "./modeBlocks";
import { ownLine, refusalLine } from "./ownMessages";
import { hasNewString, plainPasswordWarning, stringBlocks, stringNouns } from "./stringBlocks";

/** What the title says. A preview has changed nothing yet. */
export const outcomes: Readonly<Record<Report["outcome"], string>> = {
  unchanged: "no changes",
  changed: "changes",
  refused: "refused",
  failed: "failed",
};

const maxErrorLines = 12;

/** Returns the blocks of a report below its title. */
export function blocksOf(report: Report): Block[] {
  const { errors, warnings, changes, refusals } = report;
  const modes = changes.filter((change) => change.type === "PrivateIpMode");
  const strings = changes.filter((change) => change.type !== "PrivateIpMode");
  const areReceived = strings.some(({ receivers }) => receivers !== undefined);
  const areUsed = modes.some(({ legacyUsers }) => legacyUsers !== undefined);
  return [
    ...[
      ...startBlocks(report),
      ...refusals.flatMap(refusalBlocks),
      ...plainPasswordWarning(report),
    ].map(essential),
    ...errors.flatMap(errorBlocks),
    ...partialBlocks(report).map(essential),
    ...misuseWarning(report),
    ...deletionWarning(report, strings),
    ...warnings.map(warningBlock),
    ...modes.flatMap(modeBlocks).map(essential),
    ...stringBlocks(strings, report),
    ...(!report.hasState && (areReceived || areUsed) ? [text([unknownReceivers])] : []),
    ...changedOutputs(report),
    // Otherwise, the strings say so.
    ...(strings.some(hasNewString) ? [] : secretOutputs(report)),
    ...foldedBlocks(report),
  ];
}

/** Says what the preview comes to, in lines that are not folded. */
function startBlocks({ outcome, summary, refusals, errors, isTargeted }: Report): Block[] {
  const count = errors.flatMap(({ places }) => places).length;
  return [
    ...(outcome === "refused"
      ? [{ kind: "caution", lines: refusals.map(refusalLine) } as const]
      : []),
    // For the other outcomes, the title is enough, and a single error speaks for itself.
    ...(outcome === "changed" || count > 1 ? [text([summary])] : []),
    ...(outcome === "failed" && count === 0
      ? [{ kind: "caution", lines: [[summary]] } as const]
      : []),
    ...(isTargeted ? [text([targeted])] : []),
  ];
}

/** Says that a partial report lacks later resources, and introduces what it has. */
function partialBlocks({ isPartial, changes, otherChanges }: Report): Block[] {
  const hasFindings = changes.length + otherChanges.length > 0;
  if (!isPartial) return [];
  return [text([hasFindings ? `${stopped} It found:` : stopped])];
}

/** Lists what few readers need: other resources, the riskiest first, other properties, and what was printed. */
function foldedBlocks({ changes, otherChanges, output }: Report): Block[] {
  const sorted = otherChanges.toSorted(
    (a, b) => riskOf(b) - riskOf(a) || compareNames(a.name, b.name),
  );
  const count = counted(
    "# {change to another resource|changes to other resources}",
    otherChanges.length,
  );
  const printed = output.flatMap((part) => part.split("\n"));
  return [
    ...folded(count, sorted.map(otherLine)),
    ...folded("Other changed properties", changes.flatMap(propertyLines), "diff"),
    ...folded("Output", printed),
  ];
}

const targeted =
  "The preview is limited by --target or --exclude, so other resources were not checked.";
const unknownReceivers =
  "The state is not available, so the resources that receive these strings are unknown.";
const stopped = "The preview stopped here, so later resources were not checked.";

/** Shows a refusal below its first line: the table of all clusters, because each one prevents the change. */
function refusalBlocks(refusal: Message): Block[] {
  return [
    headingOf("Refused", refusal),
    { kind: "code", lines: refusal.text.split("\n").slice(1) },
  ];
}

/** Shows the start of an error. Its stack trace and later lines are folded. */
function errorBlocks(error: Message): Block[] {
  const lines = error.text.split("\n");
  const trace = lines.findIndex((line) => /^\s+at /.test(line));
  const end = Math.min(trace === -1 ? lines.length : trace, maxErrorLines);
  return [
    headingOf("Error", error),
    message("error", error, lines.slice(0, end).join("\n")),
    ...folded("Rest of this error", lines.slice(end)),
  ];
}

/**
 * Warns of stack outputs with the text of an error, for example of `${database.url}/shop` without pulumi.interpolate.
 */
function misuseWarning({ misusedOutputs }: Report): Block[] {
  if (misusedOutputs.length === 0) return [];
  const subject = counted("Stack {output|outputs} ", misusedOutputs.length);
  const verb = counted("{contains|contain}", misusedOutputs.length);
  const problem = ` ${verb} the text of an error, because the program converted an output to text. Build the text with pulumi.interpolate or apply.`;
  return [{ kind: "warning", lines: [[subject, ...names(misusedOutputs), problem]] }];
}

/** Names the other resources that are deleted or replaced, unless Pulumi reports an error instead. */
function deletionWarning({ otherChanges }: Report, strings: readonly StringChange[]): Block[] {
  const possible = otherChanges.filter(({ hasError }) => !hasError);
  const lines = (
    [
      ["deleted", "Deletes ", "."],
      ["leftover", "Deletes what an earlier update left of ", "."],
      ["retained", "Keeps ", ", but no longer manages {it|them}, because of retainOnDelete."],
      ["replaced", "Replaces ", "."],
    ] as const
  ).flatMap(([which, start, end]): Line[] => {
    const all = possible.filter(({ effect }) => effect === which);
    if (all.length === 0) return [];
    const kept = which === "deleted" ? keptLine(all.length, strings) : [];
    return [[start, ...namesByType(all), counted(end, all.length), ...kept]];
  });
  return lines.length === 0 ? [] : [{ kind: "warning", lines }];
}

/**
 * Says which deletions a preview shows only because it does not know a string, and so does not run `apply` on it; empty
 * if it knows all strings.
 */
function keptLine(count: number, changes: readonly StringChange[]): Line {
  const unknown = changes.filter(({ inPreview }) => inPreview === "unknown");
  if (unknown.length === 0) return [];
  const strings = stringNouns(unknown).map(
    ({ noun, changes: all }): Line => [`the ${noun} of `, ...names(all.map(({ name }) => name))],
  );
  const them = counted("{it|them}", count);
  return [
    ` If the program declares ${them} inside `,
    { code: "apply" },
    " of ",
    ...joined(strings, " or "),
    `, the update may keep ${them}.`,
  ];
}

/** Shows the outputs of the stack that change for another reason than a string that is shown above. */
function changedOutputs({ outputs }: Report): Block[] {
  if (outputs.length === 0) return [];
  return [heading(["Stack outputs"]), table(outputColumns, outputs.map(withoutCommonStart))];
}

/** Names the outputs of the stack of which no event says whether they change. */
function secretOutputs({ secretOutputs: all, outputs }: Report): Block[] {
  const shown = new Set(outputs.map(({ output }) => output));
  const rest = all.filter((name) => !shown.has(name));
  if (rest.length === 0) return [];
  return [text(["The values of these secret outputs were not compared: ", ...names(rest), "."])];
}

const outputColumns: readonly Column<Difference>[] = [
  { title: "output", cell: ({ name }) => [{ code: name }] },
  { title: "before", cell: ({ old }) => outputCell(old) },
  { title: "after", cell: ({ new: changed }) => outputCell(changed) },
];

function outputCell(value: string | undefined): Line {
  if (value === undefined) return [];
  return value === plainText ? [value] : [{ code: value }];
}

/** Shows a warning with its first resources, as text if it is known to be of this package, and as code otherwise. */
function warningBlock(warning: Message): Block {
  const resources = warning.places.flatMap(({ resource }) => resource ?? []);
  const about = firstOf(
    resources.map((code): Line => [{ code }]),
    maxWarned,
  );
  const start = about.length === 0 ? [] : [...about, ": "];
  if (warning.code === undefined) {
    const plain = start.map((part) => (typeof part === "string" ? part : part.code)).join("");
    return message("warning", warning, `${plain}${warning.text}`);
  }
  const lines = warning.text.split("\n").map(ownLine);
  const [first = [], ...rest] = lines.filter((line) => line.length > 0);
  return { kind: "warning", lines: [[...start, ...first], ...rest] };
}

/** How many resources a warning names. */
const maxWarned = 3;

/** Orders deletions and replacements before all other changes. */
function riskOf({ effect }: OtherChange): number {
  return Number(effect !== "changed" && effect !== "differs");
}

function otherLine(change: OtherChange): string {
  return `${effects[change.effect] ?? change.op} ${label(change)}`;
}

/** What a line says instead of the operation. */
const effects: Partial<Record<OtherChange["effect"], string>> = {
  differs: "differs from the state:",
  leftover: "delete what an earlier update left of",
  retained: "remove from the state",
};

/** Shows the other changed properties of a resource as a diff. */
function propertyLines({ type, name, op, properties }: Change): string[] {
  if (properties.length === 0) return [];
  return [
    `@@ ${type} ${name}: ${op} @@`,
    ...properties
      .map(withoutCommonStart)
      .flatMap((property) => [
        ...(property.old === undefined ? [] : [`- ${property.name}: ${property.old}`]),
        ...(property.new === undefined ? [] : [`+ ${property.name}: ${property.new}`]),
      ]),
  ];
}

/** Such as "Error at `PrivateIpMode orders` (`index.ts:12`), `PrivateIpMode billing` (`index.ts:13`)". */
function headingOf(title: string, { places }: Message): Block {
  const at = firstOf(places.map(placeLine));
  return heading(at.length === 0 ? [title] : [`${title} at `, ...at]);
}

function placeLine({ resource, position }: Place): Line {
  const line = position && { code: `${position.file}:${position.line}` };
  if (resource === undefined) return line === undefined ? [] : [line];
  return [{ code: resource }, ...(line === undefined ? [] : [" (", line, ")"])];
}

function message(severity: "error" | "warning", { places }: Message, content: string): Block {
  return { kind: "message", severity, text: content, count: places.length };
}
