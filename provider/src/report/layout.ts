/** Puts a report into blocks for Markdown and terminals. External text is marked as code, so each can escape it. */
import { isOtherValue } from "./changes";
import type { Change, Difference, Message, Receivers, Report, Value } from "./model";
import { type ResourceName, hostsIn, label, secret, shortType, unknownText } from "./resources";
import { counted, deleting, replacing } from "./summary";

/** Text of this package, and external text, which is marked as code. */
export type Line = readonly (string | { readonly code: string })[];

export type Block =
  | { readonly kind: "heading" | "text"; readonly line: Line }
  | { readonly kind: "caution" | "warning"; readonly lines: readonly Line[] }
  | {
      readonly kind: "table";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Line[])[];
    }
  | { readonly kind: "message"; readonly text: string; readonly isWarning: boolean }
  | { readonly kind: "code"; readonly lines: readonly string[] }
  /** External lines, below a title. */
  | {
      readonly kind: "folded";
      readonly title: string;
      readonly language: "text" | "diff";
      readonly lines: readonly string[];
    };

/** What the title says. A preview has changed nothing yet. */
export const outcomes: Readonly<Record<Report["outcome"], string>> = {
  unchanged: "no changes",
  changed: "changes",
  refused: "refused",
  failed: "failed",
};

const maxNames = 10;
const maxErrorLines = 12;

/** The maximum length of a start that two texts have in common, and how much of a longer one is shown. */
const maxCommonStart = 200;
const shownStart = 50;

/** Orders names as people do: `shop-2` before `shop-10`. */
const { compare } = new Intl.Collator("en", { numeric: true });

/** Returns the blocks of a report below its title, the most important ones first. */
export function blocksOf(report: Report): Block[] {
  const { outcome, summary, refusals, errors, warnings, changes, others } = report;
  const modes = changes.filter(isMode);
  const strings = changes.filter((change) => !isMode(change));
  const properties = changes.flatMap(propertyLines);
  const otherLines = [...others]
    .sort((a, b) => riskOf(b) - riskOf(a) || compare(a.name, b.name))
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
    ...withoutRepeats(groupsOf(strings).flatMap((group) => stringBlocks(group, report))),
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
  ].flatMap(([verb, all]): Line[] => (all.length === 0 ? [] : [[`${verb} `, ...byType(all), "."]]));
  return lines.length === 0 ? [] : [{ kind: "warning", lines }];
}

function modeBlocks({ op, name, subject, from, to, cause, receivers }: Change): Block[] {
  const values = [from, to].flatMap((value) => (value === undefined ? [] : [value]));
  const isSame = from !== undefined && from.kind === to?.kind && from.of === to.of;
  const shown = isSame ? [to] : values;
  const arrow = shown.flatMap((value, at) => [...(at === 0 ? [] : [" → "]), ...valueOf(value)]);
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

interface Group {
  readonly noun: string;
  readonly title: Line;
  readonly changes: readonly Change[];
}

function groupsOf(changes: readonly Change[]): Group[] {
  const groups = new Map<string, Group>();
  for (const change of changes.toSorted((a, b) => compare(a.name, b.name))) {
    const noun = change.type === "DatabaseUrl" ? "database URL" : "lookup";
    const what = whatChanges(change);
    const key = JSON.stringify([noun, what]);
    const all = [...(groups.get(key)?.changes ?? []), change];
    const count = counted(`# {${noun}|${noun}s}`, all.length);
    groups.set(key, { noun, title: [`${count}: `, ...what], changes: all });
  }
  return [...groups.values()];
}

const verbs: Readonly<Record<string, string>> = {
  create: "added",
  delete: "deleted",
  replace: "replaced",
  refresh: "removed, because the cluster no longer exists",
};

/** Says what a lookup's change has in common with others, such as "peering to internet". */
function whatChanges({ type, op, from, to, cause }: Change): Line {
  const verb = verbs[op] ?? { code: op };
  if (from === undefined || to === undefined) return [verb];
  const isChanged = op === "update" || op === "refresh";
  const start = [...(isChanged ? [] : [verb, ", "]), { code: from.kind }];
  if (to.string === unknownText) return [...start, " to a string that is known after the update"];
  const by = cause === "service" ? ", changed in the service" : "";
  if (from.kind !== to.kind) return [...start, " to ", { code: to.kind }, by];
  if (to.of !== undefined) return [...start, ", another cluster"];
  const isUrl = type === "DatabaseUrl";
  const hostsOf = ({ string }: Value) => String(hostsIn(string?.replaceAll(secret, "secret")));
  const isSameHost = hostsOf(from) === hostsOf(to);
  if (from.string !== to.string && isUrl && isSameHost)
    return [...start, ", other user or database"];
  if (from.string !== to.string) return [...start, by || ", different string"];
  if (isUrl) return [...start, ", other password or options"];
  return [...start, to.string === secret ? ", secret string" : ", same string"];
}

function stringBlocks({ noun, title, changes }: Group, report: Report): Block[] {
  const isAdded = changes.every(({ from }) => from === undefined);
  const isDeleted = changes.every(({ to }) => to === undefined);
  if (changes.every((change) => change.from && !change.to?.of && !isOtherValue(change))) {
    const rows = changes.map(({ name, properties }) => [
      [{ code: name }],
      properties.length === 0 ? ["none"] : names(properties.map((property) => property.name)),
    ]);
    return [heading(title), table([noun, "other changed properties"], rows)];
  }
  // Those that something receives come first, because later rows are folded.
  const receiving = changes.filter(({ receivers }) => receiversLine(receivers).length > 0);
  const sorted = [...receiving, ...changes.filter((change) => !receiving.includes(change))];
  const isReceived = receiving.length > 0;
  const columns = [
    noun,
    ...(isAdded ? [] : ["before"]),
    ...(isDeleted ? [] : ["after"]),
    ...(isReceived ? ["received by"] : []),
  ];
  const rows = sorted.map(({ name, from, to, receivers }) => {
    const strings = withoutCommonStart({ name, old: from?.string, new: to?.string });
    const hidden = {
      // The title has the kinds before and after.
      ...(isAdded || isDeleted ? {} : { kind: "" }),
      ...(from?.endpoint === to?.endpoint ? { endpoint: "" } : {}),
    };
    return [
      [{ code: name }],
      ...(isAdded ? [] : [valueOf({ ...from, string: strings.old, ...hidden })]),
      ...(isDeleted ? [] : [valueOf({ ...to, string: strings.new, ...hidden })]),
      ...(isReceived ? [receivedBy(receivers, report)] : []),
    ];
  });
  const isOtherString = changes.every(({ type, from, to }) => {
    const same = type === "DatabaseUrl" ? undefined : from?.string;
    return from && to && ![same, unknownText].includes(to.string);
  });
  return [
    heading(title),
    table(columns, rows),
    ...(isOtherString ? [text(restartLine(changes, report))] : []),
  ];
}

/** Keeps the last of the texts that are the same, as those for a lookup and for its URL can be. */
function withoutRepeats(blocks: readonly Block[]): Block[] {
  const keys = blocks.map((block) => JSON.stringify(block));
  return blocks.filter(
    ({ kind }, at) => kind !== "text" || keys.lastIndexOf(keys[at] ?? "") === at,
  );
}

/** Says what happens to the receivers of a changed string. An application reads the string when it starts. */
function restartLine(changes: readonly Change[], report: Report): Line {
  const received = changes.flatMap(({ receivers }) => receivers ?? []);
  const isReceived = received.some((receivers) => receiversLine(receivers).length > 0);
  if (knowsReceivers(report) && !isReceived) return [noReceivers];
  const unchanged = received.flatMap((receivers) =>
    receivers.unchanged.map((resource) => [resource.urn, resource] as const),
  );
  if (unchanged.length === 0) return [staleStrings];
  const resources = [...new Map(unchanged).values()];
  const keep = resources.length === 1 ? "it keeps" : "they keep";
  return [
    `${staleStrings} This update does not change `,
    ...byType(resources),
    `, so ${keep} the old string until you restart ${resources.length === 1 ? "it" : "them"}.`,
  ];
}

const staleStrings = "Running applications use the old string until they restart.";
const noReceivers = "No resource and no plain output contains these strings.";
const unknownReceivers =
  "The state is not available, so the resources that receive these strings are unknown.";

/** A failed preview has no outputs. */
function knowsReceivers({ hasState, outcome }: Report): boolean {
  return hasState && outcome === "changed";
}

/** A secret output may receive any string. */
function receivedBy(receivers: Receivers | undefined, report: Report): Line {
  const line = receiversLine(receivers);
  const isNothing = knowsReceivers(report) && report.secretOutputs.length === 0;
  return isNothing && line.length === 0 ? ["(nothing)"] : line;
}

/** Such as "Secret `orders-db`, then Deployment `api`; output `url`". */
function receiversLine(receivers: Receivers | undefined): Line {
  const { lookups = [], direct = [], further = [], outputs = [] } = receivers ?? {};
  const resources = [direct, further].flatMap((all) => (all.length === 0 ? [] : [byType(all)]));
  const parts: Line[] = [
    lookups.length === 0
      ? []
      : [counted("{lookup|lookups} ", lookups.length), ...names(lookups.map(({ name }) => name))],
    joined(resources, ", then "),
    outputs.length === 0
      ? []
      : [`${counted("{output|outputs}", outputs.length)} `, ...names(outputs)],
  ];
  return joined(
    parts.filter((part) => part.length > 0),
    "; ",
  );
}

/** Names some resources of each type, such as "Secret `a`, Deployment `b`, `c` and 98 more". */
function byType(resources: readonly Pick<ResourceName, "type" | "name">[]): Line {
  const groups = new Map<string, string[]>();
  for (const { type, name } of resources) {
    const group = groups.get(shortType(type)) ?? [];
    if (group.push(name) === 1) groups.set(shortType(type), group);
  }
  return joined(
    [...groups].map(([type, all]) => [
      ...(/^\w{1,100}$/.test(type) ? [type] : [{ code: type }]),
      " ",
      ...names(all),
    ]),
    ", ",
  );
}

function names(all: readonly string[]): Line {
  const shown = all
    .toSorted(compare)
    .slice(0, maxNames)
    .map((code): Line => [{ code }]);
  const more = all.length - shown.length;
  return [...joined(shown, ", "), ...(more > 0 ? [` and ${more} more`] : [])];
}

function joined(lines: readonly Line[], separator: string): Line {
  return lines.flatMap((line, at) => (at === 0 ? line : [separator, ...line]));
}

function outputBlocks({ outputs, secretOutputs }: Report): Block[] {
  const cell = (value: string | undefined): Line => (value === undefined ? [] : [{ code: value }]);
  const rows = outputs
    .map(withoutCommonStart)
    .map(({ name, old, new: now }) => [[{ code: name }], cell(old), cell(now)]);
  return [
    ...(rows.length === 0
      ? []
      : [heading(["Stack outputs"]), table(["output", "before", "after"], rows)]),
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

/** Cuts a long start that both texts have, because formats limit a text, and the first difference must be visible. */
function withoutCommonStart(difference: Difference): Difference {
  const { name, old = "", new: now = "" } = difference;
  let start = 0;
  while (start < old.length && old[start] === now[start]) start++;
  if (start <= maxCommonStart) return difference;
  const [before, after] = [old, now].map((text) => `…${text.slice(start - shownStart)}`);
  return { name, old: before, new: after };
}

function valueOf({ kind = "", string = "", endpoint = "", of }: Partial<Value> = {}): Line {
  const parts = [kind, string].filter((part) => part !== "").map((code): Line => [{ code }]);
  return [
    ...joined(parts, " "),
    ...(endpoint === "" ? [] : [" with ", { code: endpoint }]),
    ...(of === undefined ? [] : [" of ", { code: of }]),
  ];
}

function headingOf(title: string, { resource, position }: Message): Block {
  const place = position && { code: `${position.file}:${position.line}` };
  if (resource === undefined)
    return heading([title, ...(place === undefined ? [] : [" at ", place])]);
  const at = [" at ", { code: resource }];
  return heading([title, ...at, ...(place === undefined ? [] : [" (", place, ")"])]);
}

const heading = (line: Line): Block => ({ kind: "heading", line });
const text = (line: Line): Block => ({ kind: "text", line });
const message = (content: string): Block => ({ kind: "message", text: content, isWarning: false });
const table = (columns: readonly string[], rows: readonly (readonly Line[])[]): Block => {
  return { kind: "table", columns, rows };
};

function folded(
  title: string,
  lines: readonly string[],
  language: "text" | "diff" = "text",
): Block[] {
  return lines.length === 0 ? [] : [{ kind: "folded", title, language, lines }];
}
