/** Shows changed connection strings and database URLs, and what receives them. */
import { counted } from "../../messages/format";
import { type Group, grouped } from "../groups";
import type {
  LaterLookups,
  LookupCause,
  LookupChange,
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
  joined,
  line,
  names,
  namesByType,
  receiversLine,
  sentenceList,
  subjectLine,
  table,
  text,
  typeLine,
  withoutCommonStart,
} from "./blocks";

/** Shows the changes of lookups and database URLs, those of the same kind together. */
export function stringBlocks(
  changes: readonly StringChange[],
  laterLookups: LaterLookups | undefined,
): Block[] {
  return [
    ...(laterLookups === undefined ? [] : text(laterLine(laterLookups)).map(essential)),
    ...withoutRepeats(groupsOf(changes).flatMap(groupBlocks)),
  ];
}

/** Says which strings the update can still change, because it looks them up after another change. */
function laterLine({ causes, lookups, ...receivers }: LaterLookups): Line {
  const received = receiversLine(receivers);
  const all = names(lookups.map(({ name }) => name));
  const are = counted(
    "{is looked up again in this update, so its string can differ from the one|are looked up again in this update, so their strings can differ from those} shown here.",
    lookups.length,
  );
  const them = counted("{It is|They are} used by ", lookups.length);
  const users = received.length === 0 ? [] : line` ${[them]}${received}.`;
  return line`After ${causesLine(causes)}, ${all} ${[are]}${users}`;
}

const maxCauses = 5;
const maxProperties = 3;

/** Such as "Cluster `main` changes (`tags`)", or "Cluster `main` (`tags`), Project `shop` and 3 more change". */
function causesLine(causes: readonly LookupCause[]): Line {
  const isOne = causes.length === 1;
  const shown = causes.slice(0, maxCauses).map(({ type, name, properties }) => {
    const listed = names(properties.slice(0, maxProperties), properties.length);
    const parts = listed.length === 0 ? [] : line` (${listed})`;
    return line`${typeLine(type)} ${name}${[isOne ? " changes" : ""]}${parts}`;
  });
  if (isOne) return shown.flat();
  const more = causes.length - shown.length;
  return line`${sentenceList(more > 0 ? [...shown, [`${more} more`]] : shown)} change`;
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
    JSON.stringify([change.type, whatChanges(change), change.policy]);
  return [...grouped(sorted.map((change) => [keyOf(change), change])).values()];
}

const verbs: Readonly<Record<string, string>> = {
  create: "added",
  delete: "deleted",
  replace: "replaced",
  refresh: "removed, because the cluster no longer exists",
};

/** Says what a change has in common with others, such as "peering to internet, user changes". */
function whatChanges(change: StringChange): Line {
  const { op, from, to } = change;
  const verb = verbs[op] === undefined ? line`${op}` : [verbs[op]];
  if (from === undefined || to === undefined) return verb;
  const isUpdate = op === "update" || op === "refresh";
  return joined([isUpdate ? [] : verb, ...differenceLines(change, from, to)], ", ");
}

/** Returns the networks of the strings, then what else changes. A hidden network is omitted, as is one beside it. */
function differenceLines(change: StringChange, from: StringValue, to: StringValue): Line[] {
  const before = networkLine(from);
  const after = networkLine(to);
  if (change.comparison === "unknown")
    return [joined([before, ["a string that is known after the update"]], " to ")];
  const isSame = from.network === to.network;
  const isMoved = !isSame && before.length > 0 && after.length > 0;
  const details =
    change.type === "DatabaseUrl" ? urlDetails(change, isMoved) : lookupDetails(change, isMoved);
  return [isMoved ? joined([before, after], " to ") : isSame ? before : [], details];
}

/** Says what changes in the string of a lookup besides its network: its cluster, or only the string. */
function lookupDetails({ comparison, cause, move }: LookupChange, isMoved: boolean): Line {
  const byService = cause === "service" ? "changed in the service" : undefined;
  if (isMoved) return byService === undefined ? [] : [byService];
  if (move !== undefined) return ["another cluster"];
  if (comparison === "different") return [byService ?? "different string"];
  return [comparison === "secret" ? "secret string" : "same string"];
}

/** Says which parts of a URL change besides its network, which is one of its string. */
function urlDetails({ parts }: UrlChange, isMoved: boolean): Line {
  const others = parts.filter(({ name, isSecret }) => isSecret || name !== "string");
  return partsLine(isMoved ? others : parts);
}

/** Shows the network of a string; empty if the string does not say it, or if it is a secret. */
function networkLine({ network }: StringValue): Line {
  return network === undefined || network === hiddenText ? [] : line`${network}`;
}

/** Such as "user and a secret part (`password`) change". */
function partsLine(parts: readonly UrlPart[]): Line {
  const namesOf = (areSecret: boolean) =>
    parts.flatMap(({ name, isSecret }) => (isSecret === areSecret ? (name ?? []) : []));
  const [visible, secret] = [namesOf(false), namesOf(true)];
  const named = secret.length === 0 ? [] : line` (${names(secret)})`;
  const hasSecret = parts.some(({ isSecret }) => isSecret);
  const all = [
    ...visible.map((name) => [name]),
    ...(hasSecret ? [line`a secret part${named}`] : []),
  ];
  if (all.length === 0) return [];
  const isOne = all.length === 1 && visible[0] !== "options";
  return [...sentenceList(all), isOne ? " changes" : " change"];
}

/** Shows a group as a table, and what running applications do with the strings. */
function groupBlocks(changes: Group<StringChange>): Block[] {
  const [first] = changes;
  const noun = first.type === "DatabaseUrl" ? "database URL" : "lookup";
  const count = counted(`# {${noun}|${noun}s}`, changes.length);
  // Such as "2 lookups: `peering` to `internet`".
  const title = line`${[count]}: ${whatChanges(first)}`;
  const ofPolicy = policySentence(changes);
  if (changes.every(isSameString))
    return [table(title, [nameColumn(noun), propertiesColumn], changes), ...text(ofPolicy)];
  const isAdded = changes.every(({ from }) => from === undefined);
  const isDeleted = changes.every(({ to }) => to === undefined);
  // Otherwise, the title has the networks before and after.
  const hasNetwork = isAdded || isDeleted;
  const received = changes.filter((change) => receivedBy(change).length > 0);
  const columns: Column<StringChange>[] = [
    nameColumn(noun),
    ...(isAdded ? [] : [stringColumn("before", hasNetwork)]),
    ...(isDeleted ? [] : [stringColumn("after", hasNetwork)]),
    ...(received.length === 0 ? [] : [{ title: "received by", cell: receivedBy }]),
  ];
  // Later rows are folded.
  const sorted = [...received, ...changes.filter((change) => !received.includes(change))];
  const areDifferent = changes.every(({ comparison }) => comparison === "different");
  const restart = areDifferent ? restartLine(changes) : [];
  return [table(title, columns, sorted), ...text(joined([ofPolicy, restart], " "))];
}

/** Says that the preview has the strings of before, because a policy changes arguments; empty without a policy. */
function policySentence(changes: Group<StringChange>): Line {
  const [{ type, policy }] = changes;
  if (policy === undefined) return [];
  const noun = type === "DatabaseUrl" ? "URL" : "string";
  const isOne = changes.length === 1;
  const [their, strings, them] = isOne ? ["its", noun, "it"] : ["their", `${noun}s`, "them"];
  const [doNotShow, nor] = policy === "changes" ? ["does not show", "nor"] : ["may not show", "or"];
  return [
    `A policy ${policy} ${their} arguments, so this preview ${doNotShow} the ${strings}, ${nor} what changes with ${them}.`,
  ];
}

function nameColumn(title: string): Column<StringChange> {
  return { title, cell: ({ name }) => line`${name}` };
}

const propertiesColumn: Column<StringChange> = {
  title: "other changed properties",
  cell: ({ properties }) =>
    properties.length === 0 ? ["none shown"] : names(properties.map(({ name }) => name)),
};

/** Shows a string of each change. A long start that both strings have is cut, so that a reader sees the difference. */
function stringColumn(title: "before" | "after", hasNetwork: boolean): Column<StringChange> {
  const [side, part] = title === "before" ? (["from", "old"] as const) : (["to", "new"] as const);
  const cell = (change: StringChange): Line => {
    const { name, from, to, move } = change;
    const { network, endpoint } = change[side] ?? {};
    const string = withoutCommonStart({ name, old: from?.string, new: to?.string })[part];
    if (string === undefined) return [];
    const shownNetwork = hasNetwork && network !== undefined ? line`${network} ` : [];
    const isSelected = endpoint !== undefined && from?.endpoint !== to?.endpoint;
    const selection = isSelected ? line` with ${endpoint}` : [];
    return line`${shownNetwork}${string}${selection}${subjectLine(move?.[side])}`;
  };
  return { title, cell };
}

function receivedBy({ receivers }: StringChange): Line {
  return receivers === undefined ? [] : receiversLine(receivers);
}

/** Returns whether a resource keeps its string, so that only other properties of it change. */
function isSameString({ comparison, move }: StringChange): boolean {
  return comparison === "same" && move === undefined;
}

/** Says what happens to the receivers of a changed string. An application reads the string when it starts. */
function restartLine(changes: readonly StringChange[]): Line {
  const unchanged = changes.flatMap(({ receivers }) => receivers?.unchanged ?? []);
  const resources = [...new Map(unchanged.map((resource) => [resource.urn, resource])).values()];
  const [keep, stale] = changes.every(isOnlyPassword) ? ["keep", "password"] : ["use", "string"];
  const sentence = `Running applications ${keep} the old ${stale} until they restart.`;
  if (resources.length === 0) return [sentence];
  const users = counted("{it if it uses|those that use}", resources.length);
  const end = `so restart ${users} the ${stale}.`;
  return line`${[sentence]} This update does not change ${namesByType(resources)}, ${[end]}`;
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
