/** Shows changed connection strings and database URLs, and what receives them. */
import { counted } from "../../messages/format";
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
import { isOtherValue } from "../decide/changes";
import type { Change, Receivers, Report, UrlParts, Value } from "../model";
import { hiddenText, unknownText } from "../values";

/** Shows the changes of lookups and database URLs, those of the same kind together. */
export function stringBlocks(changes: readonly Change[], report: Report): Block[] {
  const blocks = groupsOf(changes).flatMap(groupBlocks);
  const isReceived = changes.some(({ receivers }) => receivers !== undefined);
  const hasSecrets = isReceived && report.secretOutputs.length > 0;
  return [...withoutRepeats(blocks), ...(hasSecrets ? [text(secretReceivers(report))] : [])];
}

/** Names the secret outputs, because no event says what a secret contains, or whether it changes. */
function secretReceivers({ secretOutputs }: Report): Line {
  const rest = ") may contain it; this report cannot see into them, nor which stacks read them.";
  return ["Secret outputs (", ...names(secretOutputs), rest];
}

/** The changes with the same title, such as "2 lookups: `peering` to `internet`". */
interface Group {
  readonly noun: string;
  readonly title: Line;
  readonly changes: readonly Change[];
}

/** Groups changes by what they have in common, in the order of their names. */
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

/** Says what a change has in common with others, such as "peering to internet". */
function whatChanges(change: Change): Line {
  const { op, from, to } = change;
  const verb = verbs[op] ?? { code: op };
  if (from === undefined || to === undefined) return [verb];
  const isUpdate = op === "update" || op === "refresh";
  const what =
    change.urlParts === undefined
      ? lookupTitle(change, from, to)
      : urlTitle(change.urlParts, from, to);
  return joined(isUpdate ? [what] : [[verb], what], ", ");
}

const unknownString = "a string that is known after the update";

/** Says what changes in the string of a lookup: its network, its cluster, or only the string. */
function lookupTitle({ cause }: Change, from: Value, to: Value): Line {
  const kind = { code: from.kind };
  if (to.string === unknownText) return [kind, " to ", unknownString];
  const isByService = cause === "service";
  if (from.kind !== to.kind) return [kind, " to ", { code: to.kind }, isByService ? byService : ""];
  if (to.of !== undefined) return [kind, ", another cluster"];
  if (from.string !== to.string) return [kind, isByService ? byService : ", different string"];
  return [kind, to.string === hiddenText ? ", secret string" : ", same string"];
}

const byService = ", changed in the service";

/** Says which parts of a URL change, after the kinds. A secret string, or one with other host names, has no kind. */
function urlTitle(parts: UrlParts, from: Value, to: Value): Line {
  const kind = from.kind === "" ? [] : [{ code: from.kind }];
  if (to.string === unknownText) return joined([kind, [unknownString]], " to ");
  if (from.kind === to.kind) return joined([kind, partsLine(parts)], ", ");
  if (from.kind === "" || to.kind === "") return partsLine(parts);
  const others = { ...parts, visible: parts.visible.filter((name) => name !== "string") };
  return joined([[...kind, " to ", { code: to.kind }], partsLine(others)], ", ");
}

/** Such as "user and a secret part (`password`) change". */
function partsLine({ visible, secret: secretNames }: UrlParts): Line {
  const parts = [
    ...visible.map((name) => [name]),
    ...(secretNames === "none" ? [] : [secretPart(secretNames)]),
  ];
  if (parts.length === 0) return [];
  const isOne = parts.length === 1 && !visible.includes("options");
  const all = joined([joined(parts.slice(0, -1), ", "), parts.at(-1) ?? []], " and ");
  return [...all, isOne ? " changes" : " change"];
}

/** Such as "a secret part (`password`)", without a name if the preview does not say which part. */
function secretPart(secretNames: "unnamed" | readonly string[]): Line {
  return secretNames === "unnamed"
    ? ["a secret part"]
    : ["a secret part (", ...names(secretNames), ")"];
}

/** Shows a group as a table, and what running applications do with the strings. */
function groupBlocks({ noun, title, changes }: Group): Block[] {
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
    ...(received.length === 0 ? [] : [receiversColumn]),
  ];
  // Later rows are folded.
  const sorted = [...received, ...changes.filter((change) => !received.includes(change))];
  return [
    heading(title),
    table(columns, sorted),
    ...(changes.every(isOtherString) ? [text(restartLine(changes))] : []),
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

/** Shows a string of each change. A long start that both strings have is cut, so that a reader sees the difference. */
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

const receiversColumn: Column<Change> = {
  title: "received by",
  cell: ({ receivers }) => receiversLine(receivers),
};

/** Returns whether a resource keeps its string, so that only other properties of it change. */
function isSameString(change: Change): boolean {
  return change.from !== undefined && change.to?.of === undefined && !isOtherValue(change);
}

/** Returns whether applications get another string. A URL is another one if any part of it differs. */
function isOtherString({ from, to, urlParts }: Change): boolean {
  if (from === undefined || to === undefined || to.string === unknownText) return false;
  if (urlParts !== undefined) return urlParts.visible.length > 0 || urlParts.secret !== "none";
  // The strings of two networks differ, even if they are secrets.
  return from.string !== to.string || from.kind !== to.kind;
}

/** Says what happens to the receivers of a changed string. An application reads the string when it starts. */
function restartLine(changes: readonly Change[]): Line {
  const received = changes.flatMap(({ receivers }) => receivers ?? []);
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

/** Such as "Secret `orders-db`, then Deployment `api`; output `url`". */
export function receiversLine(receivers: Receivers | undefined): Line {
  const { lookups = [], direct = [], further = [], outputs = [] } = receivers ?? {};
  const withNoun = (noun: string, all: readonly string[]) =>
    all.length === 0 ? [] : [`${counted(noun, all.length)} `, ...names(all)];
  const resources = joined([namesByType(direct), namesByType(further)], ", then ");
  const named = lookups.map(({ name }) => name);
  return joined(
    [withNoun("{lookup|lookups}", named), resources, withNoun("{output|outputs}", outputs)],
    "; ",
  );
}

/** Drops a text that follows again, as the one about a lookup and the one about its database URL can be the same. */
function withoutRepeats(blocks: readonly Block[]): Block[] {
  const keys = blocks.map((block) => JSON.stringify(block));
  return blocks.filter(
    ({ kind }, at) => kind !== "text" || keys.lastIndexOf(keys[at] ?? "") === at,
  );
}
