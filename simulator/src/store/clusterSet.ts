/** The clusters of one project, indexed by their unique values, with their due transitions. */
import type { Cluster, TakenNames } from "./cluster";

/** The clusters of one project. */
export interface ClusterSet {
  /** Names and indexes in use. */
  readonly taken: TakenNames;
  /**
   * Returns the clusters in the order of their creation.
   *
   * @returns the same array until a cluster changes
   */
  list(): readonly Cluster[];
  /**
   * Adds a cluster, or replaces the one with the same name.
   *
   * @param cluster the cluster
   */
  put(cluster: Cluster): void;
  /**
   * Removes a cluster; does nothing if it does not exist.
   *
   * @param name the name of the cluster
   */
  remove(name: string): void;
  /**
   * Applies the transitions that are due.
   *
   * @param now milliseconds since 1970
   * @returns whether transitions were due
   */
  applyDueTransitions(now: number): boolean;
}

/**
 * Creates an empty set.
 *
 * @returns the set
 */
export function createClusterSet(): ClusterSet {
  const clusters = new Map<string, Cluster>();
  const hostNames = new Map<string, string>();
  const endpointIndexes = new Map<number, string>();
  let cachedList: readonly Cluster[] | undefined;
  /** Time of the next transition: milliseconds since 1970. */
  let nextTransition = Infinity;

  function release(name: string): void {
    const before = clusters.get(name);
    if (!before) return;
    hostNames.delete(before.hostName);
    for (const { index } of before.privateEndpoints) endpointIndexes.delete(index);
  }

  function put(cluster: Cluster): void {
    release(cluster.name);
    clusters.set(cluster.name, cluster);
    hostNames.set(cluster.hostName, cluster.name);
    for (const { index } of cluster.privateEndpoints) endpointIndexes.set(index, cluster.name);
    cachedList = undefined;
    nextTransition = Math.min(nextTransition, transitionTimeOf(cluster));
  }

  function remove(name: string): void {
    release(name);
    clusters.delete(name);
    cachedList = undefined;
  }

  return {
    taken: { clusters, hostNames, endpointIndexes },
    list: () => (cachedList ??= [...clusters.values()]),
    put,
    remove,
    applyDueTransitions: (now) => {
      if (now < nextTransition) return false;
      nextTransition = Infinity;
      for (const cluster of [...clusters.values()]) {
        const due = cluster.transitions.filter(({ at }) => at <= now);
        const last = due.at(-1);
        if (last?.state === "GONE" || deletionTimeOf(cluster) <= now) remove(cluster.name);
        else if (last) {
          put({
            ...cluster,
            state: last.state,
            pendingStrings: last.pendingStrings,
            transitions: cluster.transitions.slice(due.length),
          });
        } else nextTransition = Math.min(nextTransition, transitionTimeOf(cluster));
      }
      return true;
    },
  };
}

function transitionTimeOf(cluster: Cluster): number {
  return Math.min(cluster.transitions[0]?.at ?? Infinity, deletionTimeOf(cluster));
}

function deletionTimeOf({ deleteAfterDate }: Cluster): number {
  return deleteAfterDate === undefined ? Infinity : Date.parse(deleteAfterDate);
}
