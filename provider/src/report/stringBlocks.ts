/** Shows changed connection strings and database URLs, and what receives them. */
import {
  type Block,
  type Column,
  type Line,
  compareNames,
  heading,
  joined,
  names,
  namesByType,
  table,
  text,
  valueLine,
  withoutCommonStart,
} from "./blocks";
import { isOtherValue } from "./changes";
import type { Change, Receivers, Report, Value } from "./model";
import { hostsIn, secret, unknownText } from "./resources";
import { counted } from "./summary";

/** Returns the blocks of these changes, equal ones together. */
export function stringBlocks(changes: readonly Change[], report: Report): Block[] {
  return withoutRepeats(groupsOf(changes).flatMap((group) => groupBlocks(group, report)));
}

interface Group {
  readonly noun: string;
  readonly title: Line;
  readonly changes: readonly Change[];
}

function groupsOf(changes: readonly Change[]): Group[] {
  const groups = new Map<string, Group>();
  for (const change of changes.toSorted((a, b) => compareNames(a.name, b.name))) {
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
function whatChanges(change: Change): Line {
  const { op, from, to } = change;
  const verb = verbs[op] ?? { code: op };
  if (from === undefined || to === undefined) return [verb];
  const isUpdate = op === "update" || op === "refresh";
  const start = [...(isUpdate ? [] : [verb, ", "]), { code: from.kind }];
  if (to.string === unknownText) return [...start, " to a string that is known after the update"];
  if (from.kind !== to.kind)
    return [...start, " to ", { code: to.kind }, change.cause === "service" ? byService : ""];
  if (to.of !== undefined) return [...start, ", another cluster"];
  return [...start, change.type === "DatabaseUrl" ? urlPart(from, to) : stringPart(change)];
}

const byService = ", changed in the service";

/** Says what differs between two URLs of the same kind. */
function urlPart(from: Value, to: Value): string {
  if (from.string === to.string) return ", other password or options";
  const [before, after] = [from, to].map(({ string }) =>
    String(hostsIn(string?.replaceAll(secret, "secret"))),
  );
  return before === after ? ", other user or database" : ", different string";
}

function stringPart({ from, to, cause }: Change): string {
  if (from?.string !== to?.string) return cause === "service" ? byService : ", different string";
  return to?.string === secret ? ", secret string" : ", same string";
}

function groupBlocks({ noun, title, changes }: Group, report: Report): Block[] {
  if (changes.every(isSameString)) {
    return [heading(title), table([nameColumn(noun), propertiesColumn], changes)];
  }
  const isAdded = changes.every(({ from }) => from === undefined);
  const isDeleted = changes.every(({ to }) => to === undefined);
  // Otherwise, the title has the kinds before and after.
  const hasKind = isAdded || isDeleted;
  const received = changes.filter(({ receivers }) => receiversLine(receivers).length > 0);
  const columns: Column<Change>[] = [
    nameColumn(noun),
    ...(isAdded ? [] : [stringColumn("before", hasKind)]),
    ...(isDeleted ? [] : [stringColumn("after", hasKind)]),
    ...(received.length === 0 ? [] : [receiversColumn(report)]),
  ];
  // Later rows are folded.
  const sorted = [...received, ...changes.filter((change) => !received.includes(change))];
  return [
    heading(title),
    table(columns, sorted),
    ...(changes.every(isOtherString) ? [text(restartLine(changes, report))] : []),
  ];
}

function nameColumn(title: string): Column<Change> {
  return { title, cell: ({ name }) => [{ code: name }] };
}

const propertiesColumn: Column<Change> = {
  title: "other changed properties",
  cell: ({ properties }) =>
    properties.length === 0 ? ["none"] : names(properties.map(({ name }) => name)),
};

function stringColumn(title: "before" | "after", hasKind: boolean): Column<Change> {
  const cell = ({ name, from, to }: Change) => {
    const strings = withoutCommonStart({ name, old: from?.string, new: to?.string });
    const { kind = "", endpoint, of } = (title === "before" ? from : to) ?? {};
    return valueLine({
      kind: hasKind ? kind : "",
      string: title === "before" ? strings.old : strings.new,
      endpoint: from?.endpoint === to?.endpoint ? "" : endpoint,
      of,
    });
  };
  return { title, cell };
}

function receiversColumn(report: Report): Column<Change> {
  return { title: "received by", cell: ({ receivers }) => receivedBy(receivers, report) };
}

/** Returns whether a resource keeps its string, so that only other properties of it change. */
function isSameString(change: Change): boolean {
  return change.from !== undefined && change.to?.of === undefined && !isOtherValue(change);
}

/** Returns whether applications get another string. Of a URL, at least a part differs. */
function isOtherString({ type, from, to }: Change): boolean {
  if (from === undefined || to === undefined || to.string === unknownText) return false;
  return type === "DatabaseUrl" || from.string !== to.string;
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
    ...namesByType(resources),
    `, so ${keep} the old string until you restart ${resources.length === 1 ? "it" : "them"}.`,
  ];
}

const staleStrings = "Running applications use the old string until they restart.";
const noReceivers = "No resource and no plain output contains these strings.";

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
export function receiversLine(receivers: Receivers | undefined): Line {
  const { lookups = [], direct = [], further = [], outputs = [] } = receivers ?? {};
  const resources = [direct, further].flatMap((all) =>
    all.length === 0 ? [] : [namesByType(all)],
  );
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

/** Keeps the last of the texts that are the same, as those for a lookup and for its URL can be. */
function withoutRepeats(blocks: readonly Block[]): Block[] {
  const keys = blocks.map((block) => JSON.stringify(block));
  return blocks.filter(
    ({ kind }, at) => kind !== "text" || keys.lastIndexOf(keys[at] ?? "") === at,
  );
}
