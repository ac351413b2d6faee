/**
 * Guards disabling. Private IP mode can be turned off only if every cluster in the project runs database version 7.0 or
 * later. Before it is turned off, applications in peered networks should already use the peering-private strings
 * (service document 3).
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

/** The fields of a cluster that the guard uses, as `clusterReader` reads them. */
export type VersionedCluster = Pick<ClusterRecord, "name" | "version" | "majorVersion"> &
  Partial<Pick<ClusterRecord, "id">>;

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
}

/**
 * Returns the records that are not known to run the minimum version, sorted by name. They prevent disabling. A cluster
 * that changed while the list was read has several, of which one with the same versions as an earlier one is left out.
 */
export function blockingClusters({ records }: Pick<GuardedList, "records">): BlockingCluster[] {
  const judged = new Set<string>();
  const blocking = records.flatMap((record, index) => {
    const { id, name, version, majorVersion } = record;
    const facts = JSON.stringify([id ?? index, name, version, majorVersion]);
    if (judged.has(facts)) return [];
    judged.add(facts);
    return blockingCluster(record, index) ?? [];
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

/** Checks the full version, then the major version if there is one. One that cannot be parsed blocks, too. */
function blockingCluster(cluster: VersionedCluster, index: number): BlockingCluster | undefined {
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
  const upgrade = `Upgrade ${isOne ? "it" : "them"} to ${minimumMajorVersion} or later, or keep the mode with enabled: true.`;
  const areAllPinned = clusters.every(({ reason }) => reason === "pinned");
  return [
    `${which} ${isOne ? "does" : "do"} not run version ${minimumMajorVersion} or later:`,
    [...(areAllPinned ? [] : [upgrade]), ...adviceBesideUpgrade(clusters)].join("\n"),
  ] as const;
}

function ofIncompleteList(clusters: readonly BlockingCluster[], { reason, advice }: Gap) {
  const found =
    clusters.length === 0
      ? `A missing cluster could run a version below ${minimumMajorVersion}.`
      : `Of the clusters read, these do not run version ${minimumMajorVersion} or later:`;
  return [`its list of clusters may be incomplete. ${reason}.\n${found}`, advice] as const;
}

function adviceBesideUpgrade(clusters: readonly BlockingCluster[]): string[] {
  const has = (kind: BlockingCluster["reason"]) => clusters.some(({ reason }) => reason === kind);
  const pinned = `If only the major version is below ${minimumMajorVersion}, no upgrade is missing. It changes when the pinned version is released, or when a running upgrade ends.`;
  const missing =
    "If no version is given, check the setting clouddb:fieldPrefix: the service's two version fields start with it.";
  return [...(has("pinned") ? [pinned] : []), ...(has("missing") ? [missing] : [])];
}

function versionTable(clusters: readonly BlockingCluster[]): string[] {
  const rows = clusters.map(({ name, version }) => ({
    name: escapeText(name, 100),
    version: escapeText(version, 200),
  }));
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows.map(({ name, version }) => `  ${name.padEnd(width)}  ${version}`);
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
