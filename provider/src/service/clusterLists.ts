/**
 * The lists of a project's clusters, by what they prove, and how long the callers in one process share them
 * (docs/internals/decisions.md#0021-age-of-lists). {@link ListedClusters} shows that its clusters exist.
 * {@link VerifiedClusters} was read from the first record until a page was empty, so it also shows which do not exist,
 * unless it has a gap, which paging.ts determines.
 *
 * A lookup or a function of the npm package accepts a list that was requested after everything that it depends on; a
 * lookup that waits, one that was requested after it last asked. The plugin, a refresh and `.get` do not know what
 * changed when, so they accept a recent list. Functions of the npm package run in the program's process, and
 * resources in the provider's, so the two share no list.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { escapeText } from "../messages/text";
import type { End, Gap, Identity, Reading } from "./paging";
import { abortable, stopwatch } from "./retry";
import type { Cluster, ClusterRecord } from "./schemas";

/** The clusters of a project (service document 2.2 and 4.3), each list of them read at least up to its count. */
export interface ListedClusters {
  /** All records of all paths. A record that two paths list unchanged is one record. */
  readonly records: readonly ClusterRecord[];
  /** Those that a lookup can find. Of two with the same ID and name, only that of the earlier path. */
  readonly clusters: readonly Cluster[];
  readonly paths: readonly string[];
  readonly readUntil: End;
  /** Why the list may be incomplete. */
  readonly gap: Gap | undefined;
}

/** The clusters of a project, each list of them read until a page was empty. Taken as complete if there is no gap. */
export interface VerifiedClusters extends ListedClusters {
  readonly readUntil: "emptyPage";
}

/** Reads the lists of clusters of a project. Both methods throw an `ApiError` if the service fails. */
export interface ClusterReader {
  listClusters(projectId: string, options: ReadOptions): Promise<ListedClusters>;
  verifyClusters(projectId: string, options: ReadOptions): Promise<VerifiedClusters>;
}

export interface ReadOptions {
  /**
   * Called before each attempt to request the first page of the path that is read first is written. Everything in the
   * list is as of the last of these attempts, or later.
   */
  readonly onSend?: (() => void) | undefined;
}

/** The lists that a caller accepts, instead of one that is read for it. */
export type Bound =
  /** Those that are recent, for a caller that does not know when something last changed that it depends on. */
  | "recent"
  /** Those that were requested after a time, for a caller that knows when that was. */
  | After;

interface After {
  /** The time, in milliseconds since 1970. */
  readonly after: number;
  /** Whether they must be recent, too, because something may have changed that the caller does not know. Default: false */
  readonly mustBeRecent?: boolean;
}

/** How long a list is recent after it was read, not after its request, in milliseconds. It is also recent while it is read. */
const recentTime = 2000;

/** How long a read is delayed so that further callers share it, unless none of its project is kept, in milliseconds. */
const gatheringTime = 100;

/** The age of a list, from the last attempt to request its first page. */
class Age {
  /** Returns the time since the attempt; undefined before. */
  #sinceSent: (() => number) | undefined;
  /** The age when the list was read; undefined before. */
  #ageWhenRead: number | undefined;

  readonly onSend = (): void => {
    this.#sinceSent = stopwatch();
  };

  readonly onEnd = (): void => {
    this.#ageWhenRead = this.#sinceSent?.();
  };

  isWithin(bound: Bound): boolean {
    const age = this.#sinceSent?.();
    // It will be requested later than now.
    if (age === undefined) return true;
    const sinceRead = this.#ageWhenRead === undefined ? 0 : age - this.#ageWhenRead;
    const isRecent = sinceRead <= recentTime;
    if (bound === "recent") return isRecent;
    const isLater = Date.now() - age > bound.after;
    return bound.mustBeRecent === true ? isLater && isRecent : isLater;
  }
}

/** A request for the lists of a project, whose responses may still be pending. */
interface Read {
  readonly age: Age;
  readonly listed: Promise<ListedClusters>;
  readonly verified: Promise<VerifiedClusters> | undefined;
}

/**
 * The latest list of each project, which the callers in this process share if it is within their bounds, even while the
 * request is pending. All methods throw the errors of {@link ClusterReader}.
 */
export class SharedListing {
  readonly #reader: ClusterReader;
  readonly #reads = new Map<string, Read>();

  constructor(reader: ClusterReader) {
    this.#reader = reader;
  }

  /**
   * Returns the clusters of the latest read, or lists them.
   *
   * @param signal stops the caller's wait, but not the read, which others may wait for
   */
  async listed(projectId: string, bound: Bound, signal?: AbortSignal): Promise<ListedClusters> {
    signal?.throwIfAborted();
    const latest = this.#reads.get(projectId);
    if (latest?.age.isWithin(bound) === true) return await abortable(latest.listed, signal);
    const age = new Age();
    const listed = this.#gather(projectId, () =>
      this.#reader.listClusters(projectId, { onSend: age.onSend }),
    );
    this.#keep(projectId, { age, listed, verified: undefined });
    return await abortable(listed, signal);
  }

  /** Returns the clusters of the latest read if it verified them, or verifies them. */
  async verified(projectId: string, bound: Bound): Promise<VerifiedClusters> {
    const latest = this.#reads.get(projectId);
    if (latest?.verified !== undefined && latest.age.isWithin(bound)) return await latest.verified;
    return await this.#verify(projectId, (read) => this.#gather(projectId, read));
  }

  /** Reads the clusters, whatever was read before, and caches them. */
  async verifiedAnew(projectId: string): Promise<VerifiedClusters> {
    return await this.#verify(projectId, (read) => read());
  }

  /** Removes a project from the cache, because its clusters may have changed. */
  forget(projectId: string): void {
    this.#reads.delete(projectId);
  }

  async #verify(
    projectId: string,
    start: (read: () => Promise<VerifiedClusters>) => Promise<VerifiedClusters>,
  ): Promise<VerifiedClusters> {
    const age = new Age();
    const verified = start(() => this.#reader.verifyClusters(projectId, { onSend: age.onSend }));
    this.#keep(projectId, { age, listed: verified, verified });
    return await verified;
  }

  /** Reads at once if nothing of the project was read before. Otherwise waits, because others probably follow. */
  #gather<List>(projectId: string, read: () => Promise<List>): Promise<List> {
    return this.#reads.has(projectId) ? sleep(gatheringTime).then(read) : read();
  }

  #keep(projectId: string, read: Read): void {
    this.#reads.set(projectId, read);
    // Failures are not cached, so the next caller reads again.
    read.listed.then(read.age.onEnd, () => {
      if (this.#reads.get(projectId) === read) this.#reads.delete(projectId);
    });
  }
}

/** The reading of one of the paths that list clusters. */
export type PathReading = Reading<ClusterRecord> & { readonly path: string };

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

/** Joins the lists of all paths. A cluster that moved to an earlier path while they were read can be in both lists. */
export function mergeReadings<Until extends End>(
  readings: readonly PathReading[],
  readUntil: Until,
) {
  const records = unique(
    readings.flatMap(({ entities }) => entities),
    (one, other) => isDeepStrictEqual(one, other),
  );
  // The record of the later path can have fewer strings.
  const clusters = unique(records.filter(hasName), (one, other) => one.name === other.name);
  const paths = readings.map(({ path }) => path);
  return { records, clusters, paths, readUntil, gap: joinedGap(readings) };
}

function hasName(record: ClusterRecord): record is Cluster {
  return record.name !== undefined;
}

/** Returns the records without those that have the ID of an earlier one and are the same. Keeps those without an ID. */
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
