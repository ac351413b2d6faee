/** Shows changed connection strings and database URLs, and what receives them. */
import { counted } from "../../messages/format";
import { type Group, grouped } from "../groups";
import type {
  LaterLookups,
  LookupCause,
  LookupChange,
  Report,
  StringChange,
  StringValue,
  UrlChange,
  UrlPart,
} from "../model";
import { hiddenText } from "../values";
import {
  type Block,
  type Column,
  type Line,
  compareNames,
  essential,
  heading,
  joined,
  names,
  namesByType,
  subjectLine,
  receiversLine,
  sentenceList,
  table,
  text,
  typeLine,
  withoutCommonStart,
} from "./blocks";

/** Shows the changes of lookups and database URLs, those of the same kind together. */
export function stringBlocks(
  changes: readonly StringChange[],
  { secretOutputs, laterLookups }: Pick<Report, "secretOutputs" | "laterLookups">,
): Block[] {
  const blocks = groupsOf(changes).flatMap(groupBlocks);
  return [
    ...(laterLookups === undefined ? [] : [essential(text(laterLine(laterLookups)))]),
    ...withoutRepeats(blocks),
    ...(secretOutputs.length > 0 ? textOf(secretReceivers(secretOutputs, changes)) : []),
  ];
}

/** Says which strings the update can still change, because it looks them up after another change. */
function laterLine({ causes, lookups, receivers }: LaterLookups): Line {
  const received = receiversLine(receivers);
  const are = counted(
    "{is looked up again in this update, so its string can differ from the one|are looked up again in this update, so their strings can differ from those} shown here.",
    lookups.length,
  );
  const them = counted("{It is|They are} used by ", lookups.length);
  return [
    ...["After ", ...causesLine(causes), ", ", ...names(lookups.map(({ name }) => name))],
    ` ${are}`,
    ...(received.length === 0 ? [] : [` ${them}`, ...received, "."]),
  ];
}

const maxCauses = 5;
const maxProperties = 3;

/** Such as "Cluster `main` changes (`tags`)", or "Cluster `main` (`tags`), Project `shop` and 3 more change". */
function causesLine(causes: readonly LookupCause[]): Line {
  const shown = causes.slice(0, maxCauses).map(({ type, name, properties }) => {
    const listed = names(properties.slice(0, maxProperties), properties.length);
    const parts: Line = properties.length === 0 ? [] : [" (", ...listed, ")"];
    return { resource: [...typeLine(type), " ", { code: name }], parts };
  });
  const [first] = shown;
  if (first !== undefined && causes.length === 1)
    return [...first.resource, " changes", ...first.parts];
  const all = shown.map(({ resource, parts }): Line => [...resource, ...parts]);
  const more = causes.length - shown.length;
  return [...sentenceList(more > 0 ? [...all, [`${more} more`]] : all), " change"];
}

/** Warns of a password that anybody can read who can read the outputs of the stack. */
export function plainPasswordWarning({ plainPasswords }: Report): Block[] {
  const lines = plainPasswords.map(({ output, user }): Line => {
    const ofUser = [" has a password for database user ", { code: user }, " in plain text."];
    return ["Output ", { code: output }, ...ofUser];
  });
  return lines.length === 0 ? [] : [{ kind: "warning", lines }];
}

/** Returns whether secret outputs of the stack may contain the new string of a change. */
export function hasNewString({ to, receivers }: StringChange): boolean {
  return to !== undefined && receivers !== undefined;
}

/** Names the secret outputs, because no event says what a secret contains, or whether it changes. */
function secretReceivers(secretOutputs: readonly string[], changes: readonly StringChange[]): Line {
  const nouns = stringNouns(changes.filter(hasNewString)).map(({ noun }) => noun);
  if (nouns.length === 0) return [];
  const rest = `) may contain the new ${nouns.join(" or ")}; this report cannot see into them, nor which stacks read them.`;
  return ["Secret outputs (", ...names(secretOutputs), rest];
}

/** Names the strings of lookups, then those of database URLs, such as "string" or "URLs", with their changes. */
export function stringNouns(changes: readonly StringChange[]) {
  const nouns = [
    ["ClusterConnectionStrings", "{string|strings}"],
    ["DatabaseUrl", "{URL|URLs}"],
  ] as const;
  return nouns.flatMap(([type, noun]) => {
    const all = changes.filter((change) => change.type === type);
    return all.length === 0 ? [] : [{ noun: counted(noun, all.length), changes: all }];
  });
}

/** Groups changes by what they have in common, in the order of their names. */
function groupsOf(changes: readonly StringChange[]): Group<StringChange>[] {
  const sorted = changes.toSorted((a, b) => compareNames(a.name, b.name));
  const keyOf = (change: StringChange) =>
    JSON.stringify([change.type, whatChanges(change), policySentence([change])]);
  return [...grouped(sorted.map((change) => [keyOf(change), change])).values()];
}

const verbs: Readonly<Record<string, string>> = {
  create: "added",
  delete: "deleted",
  replace: "replaced",
  refresh: "removed, because the cluster no longer exists",
};

/** Says what a change has in common with others, such as "peering to internet". */
function whatChanges(change: StringChange): Line {
  const { op, from, to } = change;
  const verb = verbs[op] ?? { code: op };
  if (from === undefined || to === undefined) return [verb];
  const isUpdate = op === "update" || op === "refresh";
  const what =
    change.type === "DatabaseUrl" ? urlTitle(change, from, to) : lookupTitle(change, from, to);
  return joined(isUpdate ? [what] : [[verb], what], ", ");
}

const unknownString = ["a string that is known after the update"];

/** Says what changes in the string of a lookup: its network, its cluster, or only the string. */
function lookupTitle(
  { comparison, cause, move }: LookupChange,
  from: StringValue,
  to: StringValue,
) {
  const [before, after] = [networkLine(from), networkLine(to)];
  const byService = cause === "service" ? ["changed in the service"] : [];
  if (comparison === "unknown") return joined([before, unknownString], " to ");
  if (from.network !== to.network && ![from.network, to.network].includes(hiddenText))
    return joined([joined([before, after], " to "), byService], ", ");
  if (move !== undefined) return joined([before, ["another cluster"]], ", ");
  if (comparison === "different")
    return joined([before, byService.length > 0 ? byService : ["different string"]], ", ");
  return joined([before, [comparison === "secret" ? "secret string" : "same string"]], ", ");
}

/** Says which parts of a URL change, after the networks. A secret string, or one with other host names, has none. */
function urlTitle({ comparison, parts }: UrlChange, from: StringValue, to: StringValue): Line {
  const [before, after] = [networkLine(from), networkLine(to)];
  if (comparison === "unknown") return joined([before, unknownString], " to ");
  if (from.network === to.network) return joined([before, partsLine(parts)], ", ");
  if (from.network === undefined || to.network === undefined) return partsLine(parts);
  const others = parts.filter(({ name, isSecret }) => isSecret || name !== "string");
  return joined([joined([before, after], " to "), partsLine(others)], ", ");
}

function networkLine({ network }: StringValue): Line {
  return network === undefined || network === hiddenText ? [] : [{ code: network }];
}

/** Such as "user and a secret part (`password`) change". */
function partsLine(parts: readonly UrlPart[]): Line {
  const visible = parts.flatMap((part): Line[] => (part.isSecret ? [] : [[part.name]]));
  const secret = secretPart(parts.filter(({ isSecret }) => isSecret));
  const all = secret.length === 0 ? visible : [...visible, secret];
  if (all.length === 0) return [];
  const isOne = all.length === 1 && all[0]?.[0] !== "options";
  return [...sentenceList(all), isOne ? " changes" : " change"];
}

/** Such as "a secret part (`password`)", without a name if the preview does not say which part. */
function secretPart(secrets: readonly UrlPart[]): Line {
  if (secrets.length === 0) return [];
  const named = secrets.flatMap(({ name }) => name ?? []);
  return named.length === 0 ? ["a secret part"] : ["a secret part (", ...names(named), ")"];
}

/** Shows a group as a table, and what running applications do with the strings. */
function groupBlocks(changes: Group<StringChange>): Block[] {
  const [first] = changes;
  const noun = first.type === "DatabaseUrl" ? "database URL" : "lookup";
  const count = counted(`# {${noun}|${noun}s}`, changes.length);
  // Such as "2 lookups: `peering` to `internet`".
  const title = heading([`${count}: `, ...whatChanges(first)]);
  const ofPolicy = policySentence(changes);
  if (changes.every(isSameString)) {
    return [title, table([nameColumn(noun), propertiesColumn], changes), ...textOf(ofPolicy)];
  }
  const isAdded = changes.every(({ from }) => from === undefined);
  const isDeleted = changes.every(({ to }) => to === undefined);
  // Otherwise, the title has the networks before and after.
  const hasNetwork = isAdded || isDeleted;
  const received = changes.filter(({ receivers }) => receiversLine(receivers).length > 0);
  const columns: Column<StringChange>[] = [
    nameColumn(noun),
    ...(isAdded ? [] : [stringColumn("before", hasNetwork)]),
    ...(isDeleted ? [] : [stringColumn("after", hasNetwork)]),
    ...(received.length === 0 ? [] : [receiversColumn]),
  ];
  // Later rows are folded.
  const sorted = [...received, ...changes.filter((change) => !received.includes(change))];
  const areDifferent = changes.every(({ comparison }) => comparison === "different");
  const restart = areDifferent ? restartLine(changes) : [];
  return [title, table(columns, sorted), ...textOf(joined([ofPolicy, restart], " "))];
}

/** Makes a text block; none of an empty line. */
function textOf(line: Line): Block[] {
  return line.length === 0 ? [] : [text(line)];
}

/** Says that the preview has the strings of before, because a policy changes arguments; empty without a policy. */
function policySentence(changes: Group<StringChange>): Line {
  const [first] = changes;
  if (first.inPreview !== "outdated" && first.inPreview !== "perhapsOutdated") return [];
  const [one, many] =
    first.type === "DatabaseUrl" ? ["the URL", "the URLs"] : ["the string", "the strings"];
  const sentence =
    first.inPreview === "outdated"
      ? `A policy changes {its arguments, so this preview does not show ${one}, nor what changes with it|their arguments, so this preview does not show ${many}, nor what changes with them}.`
      : `A policy may change {its arguments, so this preview may not show ${one}, or what changes with it|their arguments, so this preview may not show ${many}, or what changes with them}.`;
  return [counted(sentence, changes.length)];
}

function nameColumn(title: string): Column<StringChange> {
  return { title, cell: ({ name }) => [{ code: name }] };
}

const propertiesColumn: Column<StringChange> = {
  title: "other changed properties",
  cell: ({ properties }) =>
    properties.length === 0 ? ["none shown"] : names(properties.map(({ name }) => name)),
};

/** Shows a string of each change. A long start that both strings have is cut, so that a reader sees the difference. */
function stringColumn(title: "before" | "after", hasNetwork: boolean): Column<StringChange> {
  const cell = ({ name, from, to, move }: StringChange): Line => {
    const isBefore = title === "before";
    const value = isBefore ? from : to;
    if (value === undefined) return [];
    const strings = withoutCommonStart({ name, old: from?.string, new: to?.string });
    const string = isBefore ? strings.old : strings.new;
    const parts = [hasNetwork ? value.network : undefined, string];
    const codes = parts.flatMap((code): Line[] => (code === undefined ? [] : [[{ code }]]));
    const isSelected = value.endpoint !== undefined && from?.endpoint !== to?.endpoint;
    return [
      ...joined(codes, " "),
      ...(isSelected ? [" with ", { code: value.endpoint }] : []),
      ...subjectLine(isBefore ? move?.from : move?.to),
    ];
  };
  return { title, cell };
}

const receiversColumn: Column<StringChange> = {
  title: "received by",
  cell: ({ receivers }) => receiversLine(receivers),
};

/** Returns whether a resource keeps its string, so that only other properties of it change. */
function isSameString({ comparison, move }: StringChange): boolean {
  return comparison === "same" && move === undefined;
}

/** Says what happens to the receivers of a changed string. An application reads the string when it starts. */
function restartLine(changes: readonly StringChange[]): Line {
  const unchanged = changes.flatMap(({ receivers }) => receivers?.unchanged ?? []);
  const resources = [...new Map(unchanged.map((resource) => [resource.urn, resource])).values()];
  const stale = changes.every(isOnlyPassword) ? "password" : "string";
  const verb = stale === "password" ? "keep" : "use";
  const sentence = `Running applications ${verb} the old ${stale} until they restart.`;
  if (resources.length === 0) return [sentence];
  const users = counted("{it if it uses|those that use}", resources.length);
  return [
    `${sentence} This update does not change `,
    ...namesByType(resources),
    `, so restart ${users} the ${stale}.`,
  ];
}

/** Returns whether the password is all that changes in a URL. */
function isOnlyPassword(change: StringChange): boolean {
  if (change.type !== "DatabaseUrl") return false;
  const [part, another] = change.parts;
  return part?.name === "password" && another === undefined;
}

/** Drops a text that follows again, as the one about a lookup and the one about its database URL can be the same. */
function withoutRepeats(blocks: readonly Block[]): Block[] {
  const keys = blocks.map((block) => JSON.stringify(block));
  return blocks.filter(
    ({ kind }, at) => kind !== "text" || keys.lastIndexOf(keys[at] ?? "") === at,
  );
}
