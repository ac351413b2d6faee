/**
 * Guards disabling. Private IP mode can be turned off only if every cluster in the project runs database version 7.0 or
 * later. A list of clusters that shows this gets a permission (../service/disablePermission.ts). Before the mode is
 * turned off, applications in peered networks should already use the peering-private strings (service document 3).
 */
import { type ClusterStrings, clusterStrings } from "clouddb-connection-strings";
import parseVersion from "semver/functions/parse";
import { escapeText } from "../messages/text";
import type { SharedListing, VerifiedClusters } from "../service/clusterLists";
import { type DisablePermission, permitDisable } from "../service/disablePermission";
import type { Gap } from "../service/paging";
import type { Cluster, ClusterRecord } from "../service/schemas";

export const minimumMajorVersion = "7.0";

/** The minimum version for every cluster. A release candidate of this version is below it. */
export const minimumVersion = `${minimumMajorVersion}.0`;

/** An upgrade of a cluster below this version takes several steps, because each goes to the next major version. */
const lastMajorVersion = "6.0.0";

/**
 * The fields of a cluster that the guard uses, as `clusterReader` (../service/schemas.ts) reads them. A version that is
 * not text has only its kind.
 */
export type VersionedCluster = Pick<ClusterRecord, "name" | "version" | "majorVersion"> &
  Partial<Pick<ClusterRecord, "id" | "state" | "isPaused">>;

export interface GuardedList extends Pick<VerifiedClusters, "gap"> {
  readonly records: readonly VersionedCluster[];
}

/** A record that is not known to run the minimum version. */
export interface BlockingCluster {
  /** The name, or else the position in the list. */
  readonly name: string;
  /** The version that the service returned, or what is wrong with it. */
  readonly version: string;
  /** `pinned`: the full version is high enough, but not the major version. */
  readonly reason: "tooLow" | "pinned" | "missing" | "invalid";
  /** Its state in a word, such as `paused`; undefined if it is idle, or if the record does not say. */
  readonly state: string | undefined;
}

/**
 * Returns the records that are not known to run the minimum version, sorted by name. They prevent disabling. A cluster
 * that changed while the list was read has several, of which one with the same versions as an earlier one is left out.
 */
export function blockingClusters({ records }: Pick<GuardedList, "records">): BlockingCluster[] {
  const named = new Set<string>();
  const blocking = records.flatMap((record, index) => {
    const blocking = blockingCluster(record, index);
    if (blocking === undefined) return [];
    const { id, name, version, majorVersion } = record;
    const facts = JSON.stringify([id ?? index, name, version, majorVersion]);
    if (named.has(facts)) return [];
    named.add(facts);
    return [{ ...blocking, state: stateOf(record) }];
  });
  return blocking.sort(byName);
}

/** Counts the clusters of a list, each once although it may have several records. */
function countClusters(records: readonly VersionedCluster[]): number {
  const ids = records.flatMap(({ id }) => id ?? []);
  return records.length - ids.length + new Set(ids).size;
}

/** Compares by code unit, so that the order does not depend on the locale. */
function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  // Stryker disable next-line ConditionalExpression,EqualityOperator: sort only uses the sign
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Returns why a list does not allow disabling, with every blocking cluster and what to do; undefined if it does. */
export function disableRefusal(projectId: string, list: GuardedList): string | undefined {
  const { records, gap } = list;
  const found = blockingClusters(list);
  if (gap !== undefined) return writeRefusal(projectId, found, { gap });
  if (found.length === 0) return undefined;
  const blocking = records.filter((record, index) => blockingCluster(record, index) !== undefined);
  const counts = { blocking: countClusters(blocking), total: countClusters(records) };
  return writeRefusal(projectId, found, counts);
}

/** Reads the clusters anew, and permits one PATCH. Throws a ProviderError if the list does not allow it. */
export async function guardDisable(
  listing: SharedListing,
  projectId: string,
): Promise<DisablePermission> {
  return await permitDisable(listing, projectId, (list) => disableRefusal(projectId, list));
}

/** The state of a record changes the advice, but never whether it blocks. */
function stateOf({ state = "IDLE", isPaused }: VersionedCluster): string | undefined {
  if (state !== "IDLE") return state.toLowerCase();
  return isPaused ? "paused" : undefined;
}

/** Checks the full version, then the major version if there is one. One that cannot be parsed blocks, too. */
function blockingCluster(
  cluster: VersionedCluster,
  index: number,
): Omit<BlockingCluster, "state"> | undefined {
  const { name = `cluster ${index + 1} of the list`, version, majorVersion } = cluster;
  if (!version) return { name, version: "(no version given)", reason: "missing" };
  if (typeof version !== "string") {
    return { name, version: `(the version is ${version.kind}, not text)`, reason: "invalid" };
  }
  const full = readVersion(version);
  if (full === null)
    return { name, version: `${quote(version)} (not a version)`, reason: "invalid" };
  if (full.compare(minimumVersion) < 0) return { name, version, reason: "tooLow" };
  if (!majorVersion) return undefined;
  if (typeof majorVersion !== "string") {
    const kind = `(the major version is ${majorVersion.kind}, not text)`;
    return { name, version: kind, reason: "invalid" };
  }
  const major = readVersion(/^\d+\.\d+$/.test(majorVersion) ? `${majorVersion}.0` : majorVersion);
  if (major === null) {
    return { name, version: `${quote(majorVersion)} (not a major version)`, reason: "invalid" };
  }
  if (major.compare(minimumVersion) >= 0) return undefined;
  const both = `${majorVersion} (major version; full version ${version})`;
  return { name, version: both, reason: "pinned" };
}

/** Parses a version. Unlike semver, refuses `v7.0.0` and white space, which do not match the documented format. */
function readVersion(version: string): ReturnType<typeof parseVersion> {
  return /^\d[\w.+-]*$/.test(version) ? parseVersion(version) : null;
}

function quote(text: string): string {
  return `"${escapeText(text, 40)}"`;
}

/** How many clusters a complete list has, and how many of them prevent disabling. */
interface Counts {
  readonly blocking: number;
  readonly total: number;
}

/** Returns the message that refuses disabling. `list`: the counts of clusters, or why they are not known. */
function writeRefusal(
  projectId: string,
  clusters: readonly BlockingCluster[],
  list: Counts | { readonly gap: Gap },
): string {
  const [reason, advice] =
    "total" in list ? ofCompleteList(clusters, list) : ofIncompleteList(clusters, list.gap);
  return [
    `private IP mode of project ${escapeText(projectId)} cannot be disabled: ${reason}`,
    ...firstRows(versionTable(clusters)),
    advice,
  ].join("\n");
}

function ofCompleteList(clusters: readonly BlockingCluster[], { blocking, total }: Counts) {
  const isOne = blocking === 1;
  const which = total === 1 ? "its only cluster" : `${blocking} of its ${total} clusters`;
  return [
    `${which} ${isOne ? "does" : "do"} not run version ${minimumMajorVersion} or later:`,
    [...upgradeAdvice(clusters, isOne), ...otherAdvice(clusters)].join("\n"),
  ] as const;
}

function ofIncompleteList(clusters: readonly BlockingCluster[], { reason, advice }: Gap) {
  const found =
    clusters.length === 0
      ? `A missing cluster could run a version below ${minimumMajorVersion}.`
      : `Of the clusters read, these do not run version ${minimumMajorVersion} or later:`;
  return [`its list of clusters may be incomplete. ${reason}.\n${found}`, advice] as const;
}

function upgradeAdvice(clusters: readonly BlockingCluster[], isOne: boolean): string[] {
  const old = clusters.filter(
    (cluster) => cluster.reason !== "pinned" && !isBeingDeleted(cluster) && !isNew(cluster),
  );
  if (old.length === 0) return [];
  const isStepwise = old.some(
    ({ version }) => readVersion(version)?.compare(lastMajorVersion) === -1,
  );
  const steps = isStepwise ? ", one major version at a time" : "";
  const them = isOne ? "it" : "them";
  return [
    `Upgrade ${them} to ${minimumMajorVersion} or later${steps}, or keep the mode with enabled: true. If the program upgrades ${them}, deploy the upgrade first.`,
  ];
}

/** Returns what to do before an upgrade, or instead of one, in a sentence for each kind of cluster. */
function otherAdvice(clusters: readonly BlockingCluster[]): string[] {
  const sentences: [isMeant: (cluster: BlockingCluster) => boolean, sentence: string][] = [
    [
      ({ state }) => state === "paused",
      "A paused cluster must be resumed before it can be upgraded.",
    ],
    [
      ({ state }) => state === "updating",
      "A cluster that is updating is being changed. If that is the upgrade, wait for it.",
    ],
    [isNew, "Wait for a cluster that is being created, because it has no version before."],
    [
      isBeingDeleted,
      "Wait for a cluster that is being deleted, because it counts until it is gone.",
    ],
    [
      ({ reason }) => reason === "pinned",
      `If only the major version is below ${minimumMajorVersion}, no upgrade is missing. It changes when the pinned version is released, or when a running upgrade ends.`,
    ],
    [
      (cluster) => cluster.reason === "missing" && !isNew(cluster) && !isBeingDeleted(cluster),
      "If no version is given, check the setting clouddb:fieldPrefix: the service's two version fields start with it.",
    ],
  ];
  return sentences.flatMap(([isMeant, sentence]) => (clusters.some(isMeant) ? [sentence] : []));
}

/** Returns whether a cluster has no version because it is still being created. */
function isNew({ state, reason }: BlockingCluster): boolean {
  return state === "creating" && reason === "missing";
}

function isBeingDeleted({ state }: BlockingCluster): boolean {
  return state === "deleting";
}

/** Returns a row for each cluster, with its name, its version and, if there is one, its state. */
function versionTable(clusters: readonly BlockingCluster[]): string[] {
  const rows = clusters.map(({ name, version, state = "" }) => ({
    name: escapeText(name, 100),
    version: escapeText(version, 200),
    state: escapeText(state, 40),
  }));
  const nameWidth = Math.max(0, ...rows.map(({ name }) => name.length));
  const versionWidth = Math.max(0, ...rows.map(({ version }) => version.length));
  return rows.map(({ name, version, state }) =>
    `  ${name.padEnd(nameWidth)}  ${version.padEnd(versionWidth)}  ${state}`.trimEnd(),
  );
}

/**
 * The maximum length of the table in a message, in bytes. gRPC sends an update's error as a percent-encoded header
 * (three bytes for one) of at most 64 KiB, and hangs beyond. 16 kB is several hundred clusters.
 */
const maxTableLength = 16_000;

function firstRows(rows: readonly string[]): readonly string[] {
  let length = 0;
  for (const [index, row] of rows.entries()) {
    length += Buffer.byteLength(row);
    if (length > maxTableLength)
      return [...rows.slice(0, index), `  and ${rows.length - index} more`];
  }
  return rows;
}

type ClusterWithStrings = Pick<Cluster, "name" | "connectionStrings">;

/** Returns the names of the clusters that have one of these kinds of strings, sorted. */
function clustersWith(
  clusters: readonly ClusterWithStrings[],
  ...kinds: (keyof ClusterStrings)[]
): string[] {
  const has = ({ connectionStrings }: ClusterWithStrings) => {
    const strings = clusterStrings(connectionStrings);
    return kinds.some((kind) => strings[kind] !== undefined);
  };
  return clusters
    .filter(has)
    .map(({ name }) => name)
    .sort();
}

/** Returns the warning about disabling the mode; undefined without peering-private and legacy strings. */
export function disableWarning(
  projectId: string,
  clusters: readonly ClusterWithStrings[],
): string | undefined {
  const named = (names: readonly string[]) =>
    `${names.length === 1 ? "cluster" : "clusters"} ${names.map((name) => escapeText(name, 100)).join(", ")}`;
  // What legacy host names resolve to depends on the mode (service document 2.6).
  const legacy = clustersWith(clusters, "legacy", "legacySrv");
  const peered = clustersWith(clusters, "private", "privateSrv");
  const fromLegacy = `no application depends on the legacy connection strings of ${named(legacy)}, whose host names resolve to public addresses when the mode is off`;
  const toPeering = `applications in peered networks already use the peering-private connection strings of ${named(peered)}`;
  const demands = [
    ...(legacy.length === 0 ? [] : [fromLegacy]),
    ...(peered.length === 0 ? [] : [toPeering]),
  ];
  if (demands.length === 0) return undefined;
  return `disabling private IP mode of project ${escapeText(projectId)}: make sure that ${demands.join(", and that ")}.`;
}
