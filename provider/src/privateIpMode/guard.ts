/**
 * Guards disabling. Private IP mode can be turned off only if every cluster in the project runs database version 7.0 or
 * later. Before it is turned off, applications in peered networks should already use the peering-private strings
 * (service document 3).
 */
import { clusterStrings } from "clouddb-connection-strings";
import parseVersion from "semver/functions/parse";
import type { SharedListing, VerifiedClusters } from "../service/clusterLists";
import { type DisablePermission, permitDisable } from "../service/disablePermission";
import type { RateLimitPlace } from "../service/rateLimit";
import type { Cluster, ClusterRecord } from "../service/schemas";
import { escapeText } from "../messages/text";
import {
  type ClusterVersion,
  disablingWarning,
  minimumVersion,
  noVersion,
  writeRefusal,
} from "./sentences";

/** The fields of a cluster that the guard uses, exactly as the service returns them. */
export type VersionedCluster = Pick<ClusterRecord, "name" | "version" | "majorVersion">;

export interface GuardedList extends Pick<VerifiedClusters, "incomplete"> {
  readonly records: readonly VersionedCluster[];
}

/** The name of a cluster, or else its position in the list, and its version, or why there is no usable one. */
export interface BlockingCluster extends ClusterVersion {
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
  const { records, incomplete } = list;
  const found = blockingClusters(list);
  if (incomplete !== undefined) return writeRefusal(projectId, found, { incomplete });
  return found.length === 0 ? undefined : writeRefusal(projectId, found, { total: records.length });
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
  return await permitDisable(listing, projectId, place, (list) => disableRefusal(projectId, list));
}

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

type ClusterWithStrings = Pick<Cluster, "name" | "connectionStrings">;

/** Returns the sorted names of the clusters that have peering-private strings (service document 2.6). */
export function peeredClusters(clusters: readonly ClusterWithStrings[]): string[] {
  const isPeered = ({ connectionStrings }: ClusterWithStrings) => {
    const { private: hosts, privateSrv } = clusterStrings(connectionStrings);
    return hosts !== undefined || privateSrv !== undefined;
  };
  return clusters
    .filter(isPeered)
    .map(({ name }) => name)
    .sort();
}

/** Returns the clusters with legacy strings, sorted by name. These strings depend on the mode (service document 2.6). */
export function legacyClusters(clusters: readonly ClusterWithStrings[]) {
  return clusters.toSorted(byName).flatMap(({ name, connectionStrings }) => {
    const { legacy, legacySrv } = clusterStrings(connectionStrings);
    const strings = [legacySrv, legacy].filter((string) => string !== undefined);
    return strings.length === 0 ? [] : [{ name, strings }];
  });
}

/** Returns the warning shown when the guard allows disabling; undefined if no cluster has such strings. */
export function disableWarning(
  projectId: string,
  clusters: readonly ClusterWithStrings[],
): string | undefined {
  const legacy = legacyClusters(clusters).map(({ name }) => name);
  const peered = peeredClusters(clusters);
  if (legacy.length + peered.length === 0) return undefined;
  return disablingWarning(projectId, { legacy, peered });
}
