/**
 * Shares one list of a project's clusters between all callers in this process, also while the request
 * is pending: all lookups and guards of a stack need one list per project.
 */
import type { Client, ClusterList } from "./client";
import { abortable } from "./retry";

/** One read of a project's list. */
interface Read {
  /** The time of the request, in milliseconds since 1970. */
  readonly startedAt: number;
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

  /** Returns the cached clusters, or reads them. */
  async clusters(projectId: string): Promise<ClusterList> {
    return await (this.#reads.get(projectId) ?? this.#startRead(projectId)).clusters;
  }

  /** Reads the clusters again; later callers of {@link clusters} share the result. */
  async freshClusters(projectId: string): Promise<ClusterList> {
    return await this.#startRead(projectId).clusters;
  }

  /**
   * Returns the clusters as read at `time` (milliseconds since 1970) or later, so that callers that poll
   * share results. The signal stops the caller's wait, but not the read, which others may wait for.
   */
  async clustersSince(projectId: string, time: number, signal?: AbortSignal): Promise<ClusterList> {
    signal?.throwIfAborted();
    const read = this.#reads.get(projectId);
    const isRecent = read !== undefined && read.startedAt >= time;
    const { clusters } = isRecent ? read : this.#startRead(projectId);
    return await abortable(clusters, signal);
  }

  /** Removes a project from the cache, because its clusters may have changed. */
  forget(projectId: string): void {
    this.#reads.delete(projectId);
  }

  #startRead(projectId: string): Read {
    const read = { startedAt: Date.now(), clusters: this.#client.listClusters(projectId) };
    this.#reads.set(projectId, read);
    // Failures are not cached, so the next caller reads again.
    read.clusters.catch(() => {
      if (this.#reads.get(projectId) === read) this.#reads.delete(projectId);
    });
    return read;
  }
}
