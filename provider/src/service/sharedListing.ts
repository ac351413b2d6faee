/** Shares one list of a project's clusters between all callers in this process, even while the request is pending. */
import type { Client, ClusterList } from "./client";
import { abortable } from "./retry";

/** The conditions under which a caller accepts an existing list instead of reading another one. */
interface Wanted {
  /**
   * The list was requested at this time or later, in milliseconds since 1970. Infinity always reads another one.
   * Default: at any time
   */
  readonly since?: number;
  /**
   * The list was read until a page was empty. The guard requires this, and only such a list shows that a cluster is
   * missing. Default: true
   */
  readonly verifyEnd?: boolean;
  /** Stops the caller's wait, but not the read, which others may wait for. */
  readonly signal?: AbortSignal | undefined;
}

/** One read of a project's list. */
interface Read {
  /** The time of the request, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly verifiesEnd: boolean;
  readonly clusters: Promise<ClusterList>;
}

/** The latest cluster list of each project. */
export class SharedListing {
  readonly #client: Pick<Client, "listClusters">;
  /** The latest read of each project, pending or successful. */
  readonly #reads = new Map<string, Read>();

  constructor(client: Pick<Client, "listClusters">) {
    this.#client = client;
  }

  /** Returns the clusters of the latest read, or reads them. Throws the same errors as `Client.listClusters`. */
  async clusters(
    projectId: string,
    { since = 0, verifyEnd = true, signal }: Wanted = {},
  ): Promise<ClusterList> {
    signal?.throwIfAborted();
    const latest = this.#reads.get(projectId);
    const isEnough =
      latest !== undefined && latest.startedAt >= since && (latest.verifiesEnd || !verifyEnd);
    const { clusters } = isEnough ? latest : this.#startRead(projectId, verifyEnd);
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
