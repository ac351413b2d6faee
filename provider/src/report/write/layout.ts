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
  alert,
  compareNames,
  essential,
  firstOf,
  folded,
  joined,
  line,
  names,
  namesByType,
  table,
  text,
  withoutCommonStart,
} from "./blocks";
import { modeBlock } from "./modeBlocks";
import { ownLine, refusalLine } from "./ownMessages";
import { stringBlocks, stringNouns } from "./stringBlocks";

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
  const { errors, warnings, changes, refusals, hasState } = report;
  const modes = changes.filter((change) => change.type === "PrivateIpMode");
  const strings = changes.filter((change) => change.type !== "PrivateIpMode");
  const areReceived = strings.some(({ receivers }) => receivers !== undefined);
  const areUsed = modes.some(({ legacyUsers }) => legacyUsers !== undefined);
  return [
    ...[
      ...startBlocks(report),
      ...refusals.map(refusalBlock),
      ...alert("warning", passwordLines(report)),
    ].map(essential),
    ...errors.flatMap(errorBlocks),
    ...partialBlocks(report).map(essential),
    ...alert("warning", misuseLines(report)),
    ...alert("warning", deletionLines(report, strings)),
    ...warnings.flatMap(warningBlocks),
    ...modes.map(modeBlock).map(essential),
    ...stringBlocks(strings, report.laterLookups),
    ...(!hasState && (areReceived || areUsed) ? text([unknownReceivers]) : []),
    ...text(secretOutputs(report, strings)),
    ...changedOutputs(report),
    ...foldedBlocks(report),
  ];
}

/** Says what the preview comes to, in lines that are not folded. */
function startBlocks({ outcome, summary, refusals, errors, isTargeted }: Report): Block[] {
  const count = errors.flatMap(({ places }) => places).length;
  // For the other outcomes, the title is enough, and a single error speaks for itself.
  const isSummarized = outcome === "changed" || count > 1;
  return [
    ...(outcome === "refused" ? alert("error", refusals.map(refusalLine), refusals.length) : []),
    ...(isSummarized ? text([summary]) : []),
    ...(outcome === "failed" && count === 0 ? alert("error", [[summary]]) : []),
    ...(isTargeted ? text([targeted]) : []),
  ];
}

const targeted =
  "The preview is limited by --target or --exclude, so other resources were not checked.";
const unknownReceivers =
  "The state is not available, so the resources that receive these strings are unknown.";
const stopped = "The preview stopped here, so later resources were not checked.";

/** Says that a partial report lacks later resources, and introduces what it has. */
function partialBlocks({ isPartial, changes, otherChanges }: Report): Block[] {
  const hasFindings = changes.length + otherChanges.length > 0;
  return isPartial ? text([hasFindings ? `${stopped} It found:` : stopped]) : [];
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

/** Shows a refusal below its first line: the table of all clusters, because each one prevents the change. */
function refusalBlock(refusal: Message): Block {
  const [, ...lines] = refusal.text.split("\n");
  return { title: titleOf("Refused", refusal), kind: "code", lines };
}

/** Shows the start of an error. Its stack trace and later lines are folded. */
function errorBlocks(error: Message): Block[] {
  const lines = error.text.split("\n");
  const trace = lines.findIndex((each, at) => at > 0 && /^\s+at /.test(each));
  // To fold a single line would save nothing.
  const limit = lines.length === maxErrorLines + 1 ? lines.length : maxErrorLines;
  const end = Math.min(trace === -1 ? lines.length : trace, limit);
  const start = lines.slice(0, end).map((each) => line`${each}`);
  const title = titleOf("Error", error);
  return [
    ...alert("error", start, error.places.length).map((block) => ({ title, ...block })),
    ...folded("Rest of this error", lines.slice(end)),
  ];
}

/** Names passwords that anybody can read who can read the outputs of the stack. */
function passwordLines({ plainPasswords }: Report): Line[] {
  return plainPasswords.map(
    ({ output, user }) =>
      line`Output ${output} has a password for database user ${user} in plain text.`,
  );
}

/** Names outputs with the text of an error, for example of `${database.url}/shop` without pulumi.interpolate. */
function misuseLines({ misusedOutputs: all }: Report): Line[] {
  if (all.length === 0) return [];
  const outputs = [counted("{output|outputs}", all.length)];
  const contain = [counted("{contains|contain}", all.length)];
  return [
    line`Stack ${outputs} ${names(all)} ${contain} the text of an error, because the program converted an output to text. Build the text with pulumi.interpolate or apply.`,
  ];
}

/** Names the other resources that are deleted or replaced, unless Pulumi reports an error instead. */
function deletionLines({ otherChanges }: Report, strings: readonly StringChange[]): Line[] {
  const possible = otherChanges.filter(({ hasError }) => !hasError);
  return (
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
}

/**
 * Says which deletions a preview shows only because it does not know a string, and so does not run `apply` on it; empty
 * if it knows all strings.
 */
function keptLine(count: number, changes: readonly StringChange[]): Line {
  const unknown = stringNouns(changes.filter(({ isKnown }) => !isKnown));
  if (unknown.length === 0) return [];
  const strings = unknown.map(
    ({ noun, changes: all }) => line`the ${[noun]} of ${names(all.map(({ name }) => name))}`,
  );
  const them = [counted("{it|them}", count)];
  return line` If the program declares ${them} inside ${"apply"} of ${joined(strings, " or ")}, the update may keep ${them}.`;
}

/** Shows the outputs of the stack that change for another reason than a string that is shown above. */
function changedOutputs({ outputs }: Report): Block[] {
  if (outputs.length === 0) return [];
  return [table(["Stack outputs"], outputColumns, outputs.map(withoutCommonStart))];
}

/** Names the secret outputs of the stack. No event says what a secret contains, or whether it changes. */
function secretOutputs(
  { secretOutputs: all, outputs }: Report,
  strings: readonly StringChange[],
): Line {
  const added = strings.filter(({ to, receivers }) => to !== undefined && receivers !== undefined);
  if (added.length > 0 && all.length > 0) {
    const nouns = [
      stringNouns(added)
        .map(({ noun }) => noun)
        .join(" or "),
    ];
    return line`Secret outputs (${names(all)}) may contain the new ${nouns}; this report cannot see into them, nor which stacks read them.`;
  }
  const shown = new Set(outputs.map(({ output }) => output));
  const rest = all.filter((name) => !shown.has(name));
  return rest.length === 0
    ? []
    : line`The values of these secret outputs were not compared: ${names(rest)}.`;
}

const outputColumns: readonly Column<Difference>[] = [
  { title: "output", cell: ({ name }) => line`${name}` },
  { title: "before", cell: ({ old }) => outputCell(old) },
  { title: "after", cell: ({ new: changed }) => outputCell(changed) },
];

function outputCell(value: string | undefined): Line {
  if (value === undefined) return [];
  return value === plainText ? [value] : line`${value}`;
}

/** How many resources a warning names. */
const maxWarned = 3;

/** Shows a warning with its first resources, as text if it is known to be of this package, and as code otherwise. */
function warningBlocks({ text: content, code, places }: Message): Block[] {
  const resources = places.flatMap(({ resource }) => resource ?? []);
  const about = firstOf(
    resources.map((resource) => line`${resource}`),
    maxWarned,
  );
  const start = about.length === 0 ? [] : [...about, ": "];
  if (code === undefined) {
    const plain = start.map((part) => (typeof part === "string" ? part : part.code)).join("");
    const lines = `${plain}${content}`.split("\n").map((each) => line`${each}`);
    return alert("warning", lines, places.length);
  }
  const lines = content.split("\n").map(ownLine);
  const [first = [], ...rest] = lines.filter((each) => each.length > 0);
  return alert("warning", [[...start, ...first], ...rest]);
}

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
  const lines = properties
    .map(withoutCommonStart)
    .flatMap((property) => [
      ...(property.old === undefined ? [] : [`- ${property.name}: ${property.old}`]),
      ...(property.new === undefined ? [] : [`+ ${property.name}: ${property.new}`]),
    ]);
  return [`@@ ${type} ${name}: ${op} @@`, ...lines];
}

/** Such as "Error at `PrivateIpMode orders` (`index.ts:12`), `PrivateIpMode billing` (`index.ts:13`)". */
function titleOf(title: string, { places }: Message): Line {
  const at = firstOf(places.map(placeLine));
  return at.length === 0 ? [title] : [`${title} at `, ...at];
}

function placeLine({ resource, position }: Place): Line {
  const at = position === undefined ? [] : line`${`${position.file}:${position.line}`}`;
  if (resource === undefined) return at;
  return at.length === 0 ? line`${resource}` : line`${resource} (${at})`;
}
