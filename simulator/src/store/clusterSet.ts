/** The clusters of one project, indexed by their unique values. */
import type { Cluster, TakenNames } from "./cluster";
import { applyTransitions, nextTransitionOf } from "./transitions";

/** The clusters of one project. */
export class ClusterSet {
  private readonly clusters = new Map<string, Cluster>();
  private readonly hostNames = new Map<string, string>();
  private readonly endpointIndexes = new Map<number, string>();
  /** All indexes below this one are in use. */
  private firstMaybeFree = 0;
  /** Result of `list` until a cluster changes. */
  private cachedList: readonly Cluster[] | undefined;
  /** Time of the next transition of any cluster: milliseconds since 1970. */
  private nextTransition = Infinity;

  /** Names and indexes in use. */
  readonly taken: TakenNames = {
    clusters: this.clusters,
    hostNames: this.hostNames,
    endpointIndexes: this.endpointIndexes,
    lowestFreeIndex: () => {
      while (this.endpointIndexes.has(this.firstMaybeFree)) this.firstMaybeFree += 1;
      return this.firstMaybeFree;
    },
  };

  /**
   * Returns the clusters in the order of their creation.
   *
   * @returns the same array until a cluster changes
   */
  list(): readonly Cluster[] {
    return (this.cachedList ??= [...this.clusters.values()]);
  }

  /**
   * Returns a cluster.
   *
   * @param name the name of the cluster
   * @returns the cluster, or undefined if it does not exist
   */
  get(name: string): Cluster | undefined {
    return this.clusters.get(name);
  }

  /**
   * Adds a cluster, or replaces the one with the same name.
   *
   * @param cluster the cluster
   */
  put(cluster: Cluster): void {
    this.release(cluster.name);
    this.clusters.set(cluster.name, cluster);
    this.hostNames.set(cluster.hostName, cluster.name);
    for (const { index } of cluster.privateEndpoints) this.endpointIndexes.set(index, cluster.name);
    this.cachedList = undefined;
    this.nextTransition = Math.min(this.nextTransition, nextTransitionOf(cluster));
  }

  /**
   * Removes a cluster; does nothing if it does not exist.
   *
   * @param name the name of the cluster
   */
  remove(name: string): void {
    this.release(name);
    this.clusters.delete(name);
    this.cachedList = undefined;
  }

  /**
   * Applies the transitions that are due.
   *
   * @param now milliseconds since 1970
   * @returns whether a cluster may have changed: false if the time of the next transition is not reached
   */
  applyDueTransitions(now: number): boolean {
    if (now < this.nextTransition) return false;
    this.nextTransition = Infinity;
    for (const cluster of this.list()) {
      const current = applyTransitions(cluster, now);
      if (!current) this.remove(cluster.name);
      else if (current !== cluster) this.put(current);
      else this.nextTransition = Math.min(this.nextTransition, nextTransitionOf(cluster));
    }
    return true;
  }

  /** Frees the unique values of a cluster for use by others. */
  private release(name: string): void {
    const cluster = this.clusters.get(name);
    if (!cluster) return;
    this.hostNames.delete(cluster.hostName);
    for (const { index } of cluster.privateEndpoints) {
      this.endpointIndexes.delete(index);
      this.firstMaybeFree = Math.min(this.firstMaybeFree, index);
    }
  }
}
