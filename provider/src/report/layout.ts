/** Puts a report into blocks, the most important ones first. */
import {
  type Block,
  type Column,
  type Line,
  compareNames,
  folded,
  heading,
  names,
  namesByType,
  table,
  text,
  valueLine,
  withoutCommonStart,
} from "./blocks";
import type { Change, Difference, Message, Report, Value } from "./model";
import { label, unknownText } from "./resources";
import { receiversLine, stringBlocks } from "./stringBlocks";
import { counted, deleting, replacing } from "./summary";

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
  const { outcome, summary, refusals, errors, warnings, changes, others } = report;
  const modes = changes.filter(isMode);
  const strings = changes.filter((change) => !isMode(change));
  const properties = changes.flatMap(propertyLines);
  const otherLines = [...others]
    .sort((a, b) => riskOf(b) - riskOf(a) || compareNames(a.name, b.name))
    .map(otherLine);
  const hasFindings = changes.length + others.length > 0;
  return [
    ...(outcome === "refused" ? [refusalCaution(refusals)] : []),
    ...(outcome === "failed" ? [{ kind: "caution", lines: [[summary]] } as const] : []),
    // For the other outcomes, the title is enough.
    ...(outcome === "changed" ? [text([summary])] : []),
    ...(report.isTargeted ? [text([targeted])] : []),
    ...refusals.flatMap(refusalBlocks),
    ...errors.flatMap(errorBlocks),
    ...(report.isPartial
      ? [text([hasFindings ? `${stopped} Before that, it found:` : stopped])]
      : []),
    ...deletionWarning(report),
    ...warnings.map(warningBlock),
    ...modes.flatMap(modeBlocks),
    ...stringBlocks(strings, report),
    ...(report.hasState || changes.every((change) => change.receivers === undefined)
      ? []
      : [text([unknownReceivers])]),
    ...outputBlocks(report),
    ...folded(
      counted("# {change to another resource|changes to other resources}", others.length),
      otherLines,
    ),
    ...folded("Other changed properties", properties, "diff"),
    ...folded(
      "Output",
      report.output.flatMap((printed) => printed.split("\n")),
    ),
  ];
}

const isMode = ({ type }: Change) => type === "PrivateIpMode";

const targeted =
  "The preview is limited by --target or --exclude, so other resources were not checked.";
const unknownReceivers =
  "The state is not available, so the resources that receive these strings are unknown.";
const stopped = "The preview stopped here, so later resources were not checked.";

/** Quotes the first line of each refusal, which says how many clusters prevent it. */
function refusalCaution(refusals: readonly Message[]): Block {
  return {
    kind: "caution",
    lines: refusals.map((refusal) => [{ code: refusal.text.split("\n", 1).join() }]),
  };
}

/** The rest of a refusal, whose table names all clusters, because each one prevents the change. */
function refusalBlocks(refusal: Message): Block[] {
  return [
    headingOf("Refused", refusal),
    { kind: "code", lines: refusal.text.split("\n").slice(1) },
  ];
}

function errorBlocks(error: Message): Block[] {
  const lines = error.text.split("\n");
  const trace = lines.findIndex((line) => /^\s+at /.test(line));
  const end = Math.min(trace === -1 ? lines.length : trace, maxErrorLines);
  return [
    headingOf("Error", error),
    message(lines.slice(0, end).join("\n")),
    ...folded("Rest of this error", lines.slice(end)),
  ];
}

function deletionWarning({ others }: Report): Block[] {
  const lines = [
    ["Deletes", others.filter(({ op }) => deleting.test(op))] as const,
    ["Replaces", others.filter(({ op }) => replacing.test(op))] as const,
  ].flatMap(([verb, all]): Line[] =>
    all.length === 0 ? [] : [[`${verb} `, ...namesByType(all), "."]],
  );
  return lines.length === 0 ? [] : [{ kind: "warning", lines }];
}

function modeBlocks({ op, name, subject, from, to, cause, receivers }: Change): Block[] {
  const values = [from, to].flatMap((value) => (value === undefined ? [] : [value]));
  const isSame = from !== undefined && from.kind === to?.kind && from.of === to.of;
  const shown = isSame ? [to] : values;
  const arrow = shown.flatMap((value, at) => [...(at === 0 ? [] : [" → "]), ...valueLine(value)]);
  const sentences = [
    ...(cause === "service" && op !== "refresh" ? [differsFromState] : []),
    ...(op === "create" && from === undefined ? [createSentence(subject, to)] : []),
    ...(op === "delete" ? ["The mode keeps its value, but this stack no longer manages it."] : []),
    ...(op === "replace" && from?.of !== undefined ? [projectReplaced] : []),
    ...(op === "refresh" && to === undefined ? ["The project no longer exists."] : []),
  ];
  const reached = receiversLine(receivers);
  const used = reached.length === 0 ? [] : [" They are used by ", ...reached, "."];
  const resource = [{ code: op }, " ", { code: `PrivateIpMode ${name}` }];
  return [
    heading([...resource, " in project ", { code: subject }, ": ", ...arrow]),
    ...sentences.filter((sentence) => sentence !== "").map((sentence) => text([sentence])),
    ...(receivers === undefined ? [] : [text([stringsStay, ...used])]),
  ];
}

/** The provider warns before it enables the mode, so without a warning the mode is already on. */
function createSentence(projectId: string, to: Value | undefined): string {
  if (to?.kind === "on" && projectId !== unknownText)
    return "The mode is already on, so nothing changes in the service.";
  return to?.kind === "off" ? "If the mode is on, this update disables it." : "";
}

const projectReplaced =
  "The mode of the previous project keeps its value, but this stack no longer manages it.";

const stringsStay =
  "The connection strings of this project stay the same, but the host names in its legacy strings resolve to different addresses.";

const differsFromState = "The mode in the service differs from the state.";

function outputBlocks({ outputs, secretOutputs }: Report): Block[] {
  const compared = outputs.map(withoutCommonStart);
  return [
    ...(outputs.length === 0 ? [] : [heading(["Stack outputs"]), table(outputColumns, compared)]),
    ...(secretOutputs.length === 0
      ? []
      : [
          text([
            "The values of these secret outputs were not compared: ",
            ...names(secretOutputs),
            ".",
          ]),
        ]),
  ];
}

const outputColumns: readonly Column<Difference>[] = [
  { title: "output", cell: ({ name }) => [{ code: name }] },
  { title: "before", cell: ({ old }) => outputCell(old) },
  { title: "after", cell: ({ new: changed }) => outputCell(changed) },
];

function outputCell(value: string | undefined): Line {
  return value === undefined ? [] : [{ code: value }];
}

function warningBlock({ resource, text: warning }: Message): Block {
  const content = `${resource === undefined ? "" : `${resource}: `}${warning}`;
  return { kind: "message", text: content, isWarning: true };
}

function riskOf({ op }: Report["others"][number]): number {
  return Number(deleting.test(op) || replacing.test(op));
}

function otherLine({ op, ...resource }: Report["others"][number]): string {
  return `${op === "refresh" ? "differs from the state:" : op} ${label(resource)}`;
}

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

function headingOf(title: string, { resource, position }: Message): Block {
  const place = position && { code: `${position.file}:${position.line}` };
  if (resource === undefined)
    return heading([title, ...(place === undefined ? [] : [" at ", place])]);
  const at = [" at ", { code: resource }];
  return heading([title, ...at, ...(place === undefined ? [] : [" (", place, ")"])]);
}

const message = (content: string): Block => ({ kind: "message", text: content, isWarning: false });
