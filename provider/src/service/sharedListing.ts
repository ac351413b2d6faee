/**
 * Shares one list of a project's clusters between all callers in this process, also while the request is pending.
 * All lookups of a project share a list. A guard needs one that was read until a page was empty, which lookups share.
 */
import type { Client, ClusterList } from "./client";
import { abortable } from "./retry";

/** One read of a project's list, and the number of callers that wait for it. */
interface Read {
  /** The time of the request, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether it reads on until a page is empty, as the guard requires. */
  readonly verifiesEnd: boolean;
  readonly clusters: Promise<ClusterList>;
  readonly controller: AbortController;
  /** Callers that are waiting; infinite if one of them has no signal. */
  callers: number;
}

/** The cluster lists of all projects. Methods that read throw the same errors as `Client.listClusters`. */
export class SharedListing {
  readonly #client: Pick<Client, "listClusters">;
  /** The latest read of each project, pending or successful. */
  readonly #reads = new Map<string, Read>();

  constructor(client: Pick<Client, "listClusters">) {
    this.#client = client;
  }

  /** Returns the cached clusters for the guard, or reads them. Lookups share the result. */
  async clusters(projectId: string): Promise<ClusterList> {
    const read = this.#reads.get(projectId);
    return await waitFor(read?.verifiesEnd === true ? read : this.#startRead(projectId, true));
  }

  /** Reads the clusters again for the guard; later callers share the result. */
  async freshClusters(projectId: string): Promise<ClusterList> {
    return await waitFor(this.#startRead(projectId, true));
  }

  /** Returns the cached clusters for a lookup, or reads them. The guard does not trust the end of the list. */
  async lookupClusters(projectId: string): Promise<ClusterList> {
    return await waitFor(this.#reads.get(projectId) ?? this.#startRead(projectId, false));
  }

  /**
   * Returns the clusters for a lookup as read at `time` (milliseconds since 1970) or later, so that lookups that
   * poll share results. The signal stops the caller's wait; a pending read is aborted when no caller waits for
   * it any longer.
   */
  async clustersSince(projectId: string, time: number, signal?: AbortSignal): Promise<ClusterList> {
    signal?.throwIfAborted();
    const read = this.#reads.get(projectId);
    const isRecent = read !== undefined && read.startedAt >= time;
    return await waitFor(isRecent ? read : this.#startRead(projectId, false), signal);
  }

  /** Removes a project from the cache, because its clusters may have changed. */
  forget(projectId: string): void {
    this.#reads.delete(projectId);
  }

  #startRead(projectId: string, verifiesEnd: boolean): Read {
    const controller = new AbortController();
    const { signal } = controller;
    const clusters = this.#client.listClusters(projectId, { verifyEnd: verifiesEnd, signal });
    const read: Read = { startedAt: Date.now(), verifiesEnd, clusters, controller, callers: 0 };
    this.#reads.set(projectId, read);
    const remove = () => {
      if (this.#reads.get(projectId) === read) this.#reads.delete(projectId);
    };
    // Failures are not cached, so the next caller reads again.
    clusters.catch(remove);
    controller.signal.addEventListener("abort", remove);
    return read;
  }
}

/** Waits for a read. Rejects with the signal's reason if the signal aborts first. */
async function waitFor(read: Read, signal?: AbortSignal): Promise<ClusterList> {
  if (signal === undefined) {
    read.callers = Infinity;
    return await read.clusters;
  }
  read.callers += 1;
  try {
    return await abortable(read.clusters, signal);
  } finally {
    read.callers -= 1;
    if (read.callers === 0 && signal.aborted) read.controller.abort();
  }
}
