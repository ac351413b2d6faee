/**
 * The lists of a project's clusters, by what they prove. {@link ListedClusters} shows that its clusters exist.
 * {@link VerifiedClusters} was read from the first record until a page was empty, so it also shows which do not exist,
 * unless it is incomplete.
 */
import { isDeepStrictEqual } from "node:util";
import { escapeText } from "../messages/text";
import type { Gap, Identity, Reading } from "./paging";
import { abortable } from "./retry";
import type { Cluster, ClusterRecord } from "./schemas";

/** The clusters of a project (service document 2.2 and 4.3), each list of them read up to its count. */
export interface ListedClusters {
  /** All records of all paths. A record that two paths list unchanged is one record. */
  readonly records: readonly ClusterRecord[];
  /** The clusters that a lookup can find. One that two paths list with the same ID and name counts as in the earlier. */
  readonly clusters: readonly Cluster[];
  /** The paths that were read, in the order of the settings. */
  readonly paths: readonly string[];
  /** Why reading ended before the count of a list was reached. */
  readonly endedEarly: Gap | undefined;
}

/** The clusters of a project, each list of them read until a page was empty. */
export interface VerifiedClusters extends ListedClusters {
  /** Undefined for a complete list. */
  readonly incomplete: Gap | undefined;
}

/** Reads the lists of clusters of a project. Both methods throw an `ApiError` if the service fails. */
export interface ClusterReader {
  listClusters(projectId: string): Promise<ListedClusters>;
  verifyClusters(projectId: string): Promise<VerifiedClusters>;
}

/** The conditions under which a caller accepts an existing list instead of reading another one. */
interface ListedOptions {
  /** The list was requested at this time or later, in milliseconds since 1970. Default: at any time */
  readonly since?: number;
  /** Stops the caller's wait, but not the read, which others may wait for. */
  readonly signal?: AbortSignal | undefined;
}

/** One read of a project's lists. Only a verified list also serves callers that need one. */
interface Read {
  /** The time of the request, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly listed: Promise<ListedClusters>;
  readonly verified: Promise<VerifiedClusters> | undefined;
}

/**
 * The latest list of each project, which all callers in this process share, even while the request is pending. All
 * methods throw the errors of {@link ClusterReader}.
 */
export class SharedListing {
  readonly #reader: ClusterReader;
  /** The latest read of each project, pending or successful. */
  readonly #reads = new Map<string, Read>();

  constructor(reader: ClusterReader) {
    this.#reader = reader;
  }

  /** Returns the clusters of the latest read, or lists them. */
  async listed(
    projectId: string,
    { since = 0, signal }: ListedOptions = {},
  ): Promise<ListedClusters> {
    signal?.throwIfAborted();
    const latest = this.#reads.get(projectId);
    if (latest !== undefined && latest.startedAt >= since)
      return await abortable(latest.listed, signal);
    const listed = this.#reader.listClusters(projectId);
    this.#keep(projectId, { startedAt: Date.now(), listed, verified: undefined });
    return await abortable(listed, signal);
  }

  /** Returns the clusters of the latest verified read, or reads them. */
  async verified(projectId: string, { since = 0 }: { readonly since?: number } = {}) {
    const latest = this.#reads.get(projectId);
    const isEnough = latest?.verified !== undefined && latest.startedAt >= since;
    return await (isEnough ? latest.verified : this.verifiedAnew(projectId));
  }

  /** Reads the clusters, whatever was read before, and caches them. */
  async verifiedAnew(projectId: string): Promise<VerifiedClusters> {
    const verified = this.#reader.verifyClusters(projectId);
    this.#keep(projectId, { startedAt: Date.now(), listed: verified, verified });
    return await verified;
  }

  /** Removes a project from the cache, because its clusters may have changed. */
  forget(projectId: string): void {
    this.#reads.delete(projectId);
  }

  #keep(projectId: string, read: Read): void {
    this.#reads.set(projectId, read);
    // Failures are not cached, so the next caller reads again.
    read.listed.catch(() => {
      if (this.#reads.get(projectId) === read) this.#reads.delete(projectId);
    });
  }
}

/** A reading of the list at one path of the project. */
export type PathReading = Reading<ClusterRecord> & { readonly path: string };

/** Merges readings up to the count of each list. */
export function mergeListed(readings: readonly PathReading[]): ListedClusters {
  return { ...merge(readings), endedEarly: joinedGap(readings) };
}

/** Merges readings up to an empty page of each list. */
export function mergeVerified(readings: readonly PathReading[]): VerifiedClusters {
  const incomplete = joinedGap(readings);
  return { ...merge(readings), endedEarly: incomplete, incomplete };
}

/** Joins the gaps of all paths. The advice is that of the first one, because it applies to every path. */
function joinedGap(readings: readonly PathReading[]): Gap | undefined {
  const gaps = readings.flatMap(({ path, gap }) => {
    if (gap === undefined) return [];
    return readings.length === 1
      ? [gap]
      : [{ ...gap, reason: `${escapeText(path)}: ${gap.reason}` }];
  });
  const reasons = gaps.map(({ reason }) => reason);
  return gaps[0] && { ...gaps[0], reason: reasons.join("; ") };
}

function merge(readings: readonly PathReading[]) {
  const records = unique(
    readings.flatMap(({ entities }) => entities),
    (one, other) => isDeepStrictEqual(one, other),
  );
  // A cluster that moves to an earlier path can be in both lists, with fewer strings in the later one.
  const clusters = unique(records.filter(isNamed), (one, other) => one.name === other.name);
  return { records, clusters, paths: readings.map(({ path }) => path) };
}

function isNamed(record: ClusterRecord): record is Cluster {
  return record.name !== undefined;
}

/** Leaves out each record that has the ID of an earlier one and is the same. A record without an ID is kept. */
function unique<T extends Identity>(
  records: readonly T[],
  isSame: (one: T, other: T) => boolean,
): T[] {
  const byId = new Map<string, readonly T[]>();
  return records.filter((record) => {
    const { id } = record;
    if (id === undefined) return true;
    const earlier = byId.get(id) ?? [];
    if (earlier.some((other) => isSame(other, record))) return false;
    byId.set(id, [...earlier, record]);
    return true;
  });
}
