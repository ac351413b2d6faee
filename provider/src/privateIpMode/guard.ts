/**
 * Guards disabling. Private IP mode can be turned off only if every cluster in the project runs database version 7.0 or
 * later. Before it is turned off, applications in peered networks should already use the peering-private strings
 * (service document 3).
 */
import { clusterStrings } from "clouddb-connection-strings";
import parseVersion from "semver/functions/parse";
import type { DisablePermission, SharedListing, VerifiedClusters } from "../service/clusterLists";
import type { Gap } from "../service/paging";
import type { RateLimitPlace } from "../service/rateLimit";
import type { Cluster, ClusterRecord } from "../service/schemas";
import { withoutCode } from "../messages/codes";
import { ProviderError } from "../messages/errors";
import { escapeText } from "../messages/text";

export const minimumMajorVersion = "7.0";

/** The minimum version for every cluster. A release candidate of this version is below it. */
export const minimumVersion = `${minimumMajorVersion}.0`;

/** The fields of a cluster that the guard uses, exactly as the service returns them. */
export type VersionedCluster = Pick<ClusterRecord, "name" | "version" | "majorVersion">;

/** The fields of a cluster list that the guard uses. */
export interface GuardedList extends Pick<VerifiedClusters, "incomplete"> {
  readonly records: readonly VersionedCluster[];
}

export interface BlockingCluster {
  /** The name of the cluster, or its position in the list if it has no name. */
  readonly name: string;
  /** The version, or why there is no usable version. */
  readonly version: string;
  /** `tooLow`: the version is below {@link minimumVersion}. `unusable`: it is missing or cannot be parsed. */
  readonly reason: "tooLow" | "unusable";
}

/** Returns the records that are not known to run the minimum version, sorted by name. They prevent disabling. */
export function blockingClusters({ records }: Pick<GuardedList, "records">): BlockingCluster[] {
  return records.flatMap((record, index) => blockingCluster(record, index) ?? []).sort(byName);
}

/** Compares by code unit, so that the order does not depend on the locale. */
function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  // Stryker disable next-line ConditionalExpression,EqualityOperator: sort only uses the sign
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/**
 * Returns the message that refuses disabling; undefined if the list is complete and every cluster in it runs
 * the minimum version. The message says why disabling is refused, names every blocking cluster and says
 * what to do.
 */
export function disableRefusal(projectId: string, list: GuardedList): string | undefined {
  const found = blockingClusters(list);
  if (list.incomplete !== undefined) return uncertainRefusal(projectId, found, list.incomplete);
  if (found.length === 0) return undefined;
  const clusterCount = list.records.length;
  const which =
    clusterCount === 1 ? "its only cluster" : `${found.length} of its ${clusterCount} clusters`;
  return [
    `${cannotDisable(projectId)}: ${which} ${found.length === 1 ? "does" : "do"} not run version ${minimumVersion} or later:`,
    ...blockingTable(found),
    `Upgrade ${found.length === 1 ? "it" : "them"} to ${minimumMajorVersion} or later, or keep the mode with enabled: true.`,
    ...(found.some(({ version }) => version === noVersion) ? [adviceWithoutVersion] : []),
  ].join("\n");
}

/**
 * Reads the clusters anew, and permits one PATCH in this place of the rate limit. Throws a ProviderError if the list does
 * not allow disabling.
 */
export async function guardDisable(
  listing: SharedListing,
  projectId: string,
  place: RateLimitPlace,
): Promise<DisablePermission> {
  return await listing.permitDisable(projectId, place, (list) => {
    const refusal = disableRefusal(projectId, list);
    if (refusal !== undefined) throw new ProviderError(refusal, { code: "refused" });
  });
}

function uncertainRefusal(
  projectId: string,
  found: readonly BlockingCluster[],
  { reason, advice }: Gap,
): string {
  return [
    `${cannotDisable(projectId)}: its list of clusters may be incomplete. ${reason}.`,
    ...(found.length === 0
      ? [`A missing cluster could run a version below ${minimumVersion}.`]
      : [`Of the clusters read, these do not run version ${minimumVersion} or later:`]),
    ...blockingTable(found),
    advice,
  ].join("\n");
}

function cannotDisable(projectId: string): string {
  return `private IP mode of project ${escapeText(projectId)} cannot be disabled`;
}

/**
 * The length of the table in a message, in bytes: hundreds of clusters. The error of an update is a header of gRPC,
 * which may have 64 KiB and encodes a byte as up to three. A call with a longer one never ends.
 */
const maxTableLength = 16_000;

function blockingTable(found: readonly BlockingCluster[]): string[] {
  const rows = versionTable(found);
  let length = 0;
  const end = rows.findIndex((row) => (length += Buffer.byteLength(row)) > maxTableLength);
  return end === -1 ? rows : [...rows.slice(0, end), `  and ${rows.length - end} more`];
}

/** Formats clusters and their versions as one indented line each, and escapes them. */
export function versionTable(
  clusters: readonly { readonly name: string; readonly version: string }[],
): string[] {
  const rows = clusters.map(({ name, version }) => ({
    // Two spaces separate the columns.
    name: escapeText(name, 100).replace(/^ | (?= )| $/g, "\\u{20}"),
    version: escapeText(version, 200),
  }));
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows.map(({ name, version }) => `  ${name.padEnd(width)}  ${version}`);
}

/** What the message of a refusal says. */
export interface Refusal {
  readonly projectId: string;
  /** The clusters that the message names, with their versions or why there is none. */
  readonly clusters: readonly { readonly name: string; readonly version: string }[];
  /** How many clusters prevent disabling, with those that the message does not name. */
  readonly count: number;
  /** How many clusters the project has; undefined if the list may be incomplete. */
  readonly total: number | undefined;
  /** What to do, and why the list may be incomplete: the lines without the clusters. */
  readonly advice: string;
}

/** Reads the message of {@link disableRefusal}, with or without its code; returns undefined for any other text. */
export function readRefusal(reported: string): Refusal | undefined {
  const message = withoutCode(reported);
  // Stryker disable next-line StringLiteral: a match has both groups
  const [projectId, reason = ""] = groupsIn(
    message,
    /^private IP mode of project (.+?) cannot be disabled: (.*)/,
  );
  if (projectId === undefined) return undefined;
  const lines = message.split("\n").slice(1);
  const clusters = lines.flatMap((line) => {
    // Stryker disable next-line StringLiteral: a match has both groups
    const [name, version = ""] = groupsIn(line, /^ {2}(.*?) {2,}(.+)/);
    return name === undefined ? [] : [{ name, version }];
  });
  const [more = 0] = lines.flatMap((line) => groupsIn(line, /^ {2}and (\d{1,9}) more$/));
  const [total] = groupsIn(reason, /^\d+ of its (\d{1,9}) clusters /);
  const isCertain = total !== undefined || reason.startsWith("its only cluster ");
  const advice = lines.filter((line) => !line.startsWith("  "));
  return {
    projectId,
    clusters,
    count: clusters.length + Number(more),
    total: isCertain ? Number(total ?? 1) : undefined,
    advice: [...(isCertain ? [] : [reason]), ...advice].join("\n"),
  };
}

function groupsIn(text: string, pattern: RegExp): string[] {
  return pattern.exec(text)?.slice(1) ?? [];
}

export const noVersion = "(no version given)";

export const adviceWithoutVersion =
  "If no version is given, check the setting clouddb:fieldPrefix: the service's two version fields start with it.";

/**
 * Checks the lower of the full version and the major version, because the two can disagree. A version
 * that cannot be parsed is not known to be high enough, so it also blocks disabling.
 */
function blockingCluster(cluster: VersionedCluster, index: number): BlockingCluster | undefined {
  const { name = `cluster ${index + 1} of the list`, version, majorVersion } = cluster;
  const tooLow = (text: string) => ({ name, version: text, reason: "tooLow" }) as const;
  const unusable = (text: string) => ({ name, version: text, reason: "unusable" }) as const;
  if (!version) return unusable(noVersion);
  const full = readVersion(version);
  if (full === null) return unusable(`${quote(version)} (not a version)`);
  if (full.compare(minimumVersion) < 0) return tooLow(version);
  if (!majorVersion) return undefined;
  const major = readVersion(/^\d+\.\d+$/.test(majorVersion) ? `${majorVersion}.0` : majorVersion);
  if (major === null) return unusable(`${quote(majorVersion)} (not a major version)`);
  if (major.compare(minimumVersion) < 0) {
    return tooLow(`${majorVersion} (major version; full version ${version})`);
  }
  return undefined;
}

/** Parses a version. Unlike semver, refuses `v7.0.0` and white space, which do not match the documented format. */
function readVersion(version: string): ReturnType<typeof parseVersion> {
  return /^\d[\w.+-]*$/.test(version) ? parseVersion(version) : null;
}

function quote(text: string): string {
  return `"${escapeText(text, 40)}"`;
}

type PeerableCluster = Pick<Cluster, "name" | "connectionStrings">;

/** Returns the sorted names of the clusters that have peering-private strings (service document 2.6). */
export function peeredClusters(clusters: readonly PeerableCluster[]): string[] {
  const isPeered = ({ connectionStrings }: PeerableCluster) => {
    const { private: hosts, privateSrv } = clusterStrings(connectionStrings);
    return hosts !== undefined || privateSrv !== undefined;
  };
  return clusters
    .filter(isPeered)
    .map(({ name }) => name)
    .sort();
}

/** Returns the warning shown when the guard allows disabling; undefined for a project without peering. */
export function peeringWarning(
  projectId: string,
  clusters: readonly PeerableCluster[],
): string | undefined {
  const peered = peeredClusters(clusters);
  if (peered.length === 0) return undefined;
  const names = peered.map((name) => escapeText(name, 100)).join(", ");
  return `disabling private IP mode of project ${escapeText(projectId)}: make sure that applications in peered networks already use the peering-private connection strings of ${peered.length === 1 ? "cluster" : "clusters"} ${names}.`;
}
