/**
 * Shares one list of a project's clusters between all callers in this process, also while the request is pending.
 * All lookups of a project share a list. A guard needs one that was read until a page was empty, which lookups share.
 */
import type { Client, ClusterList } from "./client";
import { abortable } from "./retry";

/** One read of a project's list. */
interface Read {
  /** The time of the request, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether it reads on until a page is empty, as the guard requires. */
  readonly verifiesEnd: boolean;
  readonly clusters: Promise<ClusterList>;
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
    return await (read?.verifiesEnd === true ? read : this.#startRead(projectId, true)).clusters;
  }

  /** Reads the clusters again for the guard; later callers share the result. */
  async freshClusters(projectId: string): Promise<ClusterList> {
    return await this.#startRead(projectId, true).clusters;
  }

  /** Returns the cached clusters for a lookup, or reads them. The guard does not trust the end of the list. */
  async lookupClusters(projectId: string): Promise<ClusterList> {
    return await (this.#reads.get(projectId) ?? this.#startRead(projectId, false)).clusters;
  }

  /**
   * Returns the clusters for a lookup as read at `time` (milliseconds since 1970) or later, so that lookups that
   * poll share results. The signal stops the caller's wait, but not the read, which others may wait for.
   */
  async clustersSince(projectId: string, time: number, signal?: AbortSignal): Promise<ClusterList> {
    signal?.throwIfAborted();
    const read = this.#reads.get(projectId);
    const isRecent = read !== undefined && read.startedAt >= time;
    const { clusters } = isRecent ? read : this.#startRead(projectId, false);
    return await abortable(clusters, signal);
  }

  /** Removes a project from the cache, because its clusters may have changed. */
  forget(projectId: string): void {
    this.#reads.delete(projectId);
  }

  #startRead(projectId: string, verifyEnd: boolean): Read {
    const clusters = this.#client.listClusters(projectId, { verifyEnd });
    const read = { startedAt: Date.now(), verifiesEnd: verifyEnd, clusters };
    this.#reads.set(projectId, read);
    // Failures are not cached, so the next caller reads again.
    read.clusters.catch(() => {
      if (this.#reads.get(projectId) === read) this.#reads.delete(projectId);
    });
    return read;
  }
}
