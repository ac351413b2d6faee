/**
 * Shares one list of a project's clusters between all callers in this process, also while the request
 * is pending: all lookups and guards of a stack need one list per project.
 */
import type { Client, ClusterList } from "./client";

export interface SharedListing {
  /** Returns the cached clusters, or reads them. */
  clusters(projectId: string): Promise<ClusterList>;
  /** Reads the clusters again; later callers of {@link clusters} share the result. */
  freshClusters(projectId: string): Promise<ClusterList>;
  /**
   * Returns the clusters as they were at a time (milliseconds since 1970) or later, so that callers
   * that poll share results. The signal stops the caller's wait; a pending read that no caller waits for
   * any longer is cancelled.
   */
  clustersSince(projectId: string, time: number, signal?: AbortSignal): Promise<ClusterList>;
  /** Removes a project from the cache, because its clusters may have changed. */
  forget(projectId: string): void;
}

/** One read of a project's list, and the number of callers that wait for it. */
interface Reading {
  readonly began: number;
  readonly clusters: Promise<ClusterList>;
  readonly controller: AbortController;
  /** Callers that are waiting; infinite if one of them has no signal. */
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
    // Do not cache a failure: the next caller tries again.
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

/** Waits for a read. Rejects with the signal's reason if the signal aborts first. */
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
