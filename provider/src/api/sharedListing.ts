/**
 * One listing of a project's clusters for all callers in this process, also while it is in flight: a
 * stack's lookups and guards cost one listing a project, whatever their number.
 */
import type { Client, ClusterList } from "./client";

export interface SharedListing {
  /** Returns the clusters as last read; reads them when nobody has. */
  clusters(projectId: string): Promise<ClusterList>;
  /** Reads the clusters as they are now; later callers of {@link clusters} share the result. */
  freshClusters(projectId: string): Promise<ClusterList>;
  /**
   * Returns the clusters as they were at a time (milliseconds since 1970) or later: callers that poll
   * share what one of them has just read. With a signal the caller leaves when it aborts; a reading
   * that every caller has left is cancelled.
   */
  clustersSince(projectId: string, time: number, signal?: AbortSignal): Promise<ClusterList>;
  /** Forgets a project whose clusters may have changed. */
  forget(projectId: string): void;
}

/** One reading of a project's list, and who waits for it. */
interface Reading {
  readonly began: number;
  readonly clusters: Promise<ClusterList>;
  readonly controller: AbortController;
  /** Callers that may still leave; infinite once one waits without a signal. */
  callers: number;
}

export function sharedListing(client: Pick<Client, "listClusters">): SharedListing {
  const readings = new Map<string, Reading>();

  const begin = (projectId: string): Reading => {
    const controller = new AbortController();
    const clusters = client.listClusters(projectId, controller.signal);
    const reading: Reading = { began: Date.now(), clusters, controller, callers: 0 };
    readings.set(projectId, reading);
    const forget = () => {
      if (readings.get(projectId) === reading) readings.delete(projectId);
    };
    // A failed reading is not shared: the next caller tries again.
    clusters.catch(forget);
    controller.signal.addEventListener("abort", forget);
    return reading;
  };

  return {
    clusters: (projectId) => join(readings.get(projectId) ?? begin(projectId), undefined),
    freshClusters: (projectId) => join(begin(projectId), undefined),
    clustersSince: async (projectId, time, signal) => {
      signal?.throwIfAborted();
      const reading = readings.get(projectId);
      const isRecent = reading !== undefined && reading.began >= time;
      return join(isRecent ? reading : begin(projectId), signal);
    },
    forget: (projectId) => void readings.delete(projectId),
  };
}

/** Waits for a reading until the signal aborts. Rejects with the signal's reason then. */
async function join(reading: Reading, signal: AbortSignal | undefined): Promise<ClusterList> {
  if (signal === undefined) {
    reading.callers = Infinity;
    return await reading.clusters;
  }
  reading.callers += 1;
  let leave = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => {
      reading.callers -= 1;
      if (reading.callers === 0) reading.controller.abort();
      reject(signal.reason instanceof Error ? signal.reason : new Error("the wait has ended"));
    };
  });
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([reading.clusters, left]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
