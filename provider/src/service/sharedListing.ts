/**
 * Shares one list of a project's clusters between all callers in this process, also while the request
 * is pending: all lookups and guards of a stack need one list per project.
 */
import type { Client, ClusterList } from "./client";
import { abortable } from "./retry";

/** One read of a project's list, and the number of callers that wait for it. */
interface Read {
  /** The time of the request, in milliseconds since 1970. */
  readonly startedAt: number;
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

  /** Returns the cached clusters, or reads them. */
  async clusters(projectId: string): Promise<ClusterList> {
    return await waitFor(this.#reads.get(projectId) ?? this.#startRead(projectId));
  }

  /** Reads the clusters again; later callers of {@link clusters} share the result. */
  async freshClusters(projectId: string): Promise<ClusterList> {
    return await waitFor(this.#startRead(projectId));
  }

  /**
   * Returns the clusters as read at `time` (milliseconds since 1970) or later, so that callers that poll
   * share results. The signal stops the caller's wait; a pending read is aborted when no caller waits for
   * it any longer.
   */
  async clustersSince(projectId: string, time: number, signal?: AbortSignal): Promise<ClusterList> {
    signal?.throwIfAborted();
    const read = this.#reads.get(projectId);
    const isRecent = read !== undefined && read.startedAt >= time;
    return await waitFor(isRecent ? read : this.#startRead(projectId), signal);
  }

  /** Removes a project from the cache, because its clusters may have changed. */
  forget(projectId: string): void {
    this.#reads.delete(projectId);
  }

  #startRead(projectId: string): Read {
    const controller = new AbortController();
    const clusters = this.#client.listClusters(projectId, controller.signal);
    const read: Read = { startedAt: Date.now(), clusters, controller, callers: 0 };
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
