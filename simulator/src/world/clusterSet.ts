// The clusters of one project: by name, with everything that has to be unique among them, and with
// what happens to them when their time comes.
import type { Cluster, TakenNames } from "./cluster";

export interface ClusterSet {
  readonly taken: TakenNames;
  /** In the order of their creation; the same array until something changes. */
  list(): readonly Cluster[];
  /** Adds a cluster, or takes the place of the one with its name. */
  put(cluster: Cluster): void;
  remove(name: string): void;
  /** Lets happen what is due; true when something did. */
  settle(now: number): boolean;
}

export function createClusterSet(): ClusterSet {
  const clusters = new Map<string, Cluster>();
  const hostNames = new Map<string, string>();
  const endpointIndexes = new Map<number, string>();
  let listed: readonly Cluster[] | undefined;
  /** When the next cluster changes by itself: milliseconds since 1970. */
  let next = Infinity;

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
    listed = undefined;
    next = Math.min(next, nextOf(cluster));
  }

  function remove(name: string): void {
    release(name);
    clusters.delete(name);
    listed = undefined;
  }

  return {
    taken: { clusters, hostNames, endpointIndexes },
    list: () => (listed ??= [...clusters.values()]),
    put,
    remove,
    settle: (now) => {
      if (now < next) return false;
      next = Infinity;
      for (const cluster of [...clusters.values()]) {
        const due = cluster.transitions.filter(({ at }) => at <= now);
        const last = due.at(-1);
        if (last?.state === "GONE" || endOf(cluster) <= now) remove(cluster.name);
        else if (last) {
          put({
            ...cluster,
            state: last.state,
            pendingStrings: last.pendingStrings,
            transitions: cluster.transitions.slice(due.length),
          });
        } else next = Math.min(next, nextOf(cluster));
      }
      return true;
    },
  };
}

function nextOf(cluster: Cluster): number {
  return Math.min(cluster.transitions[0]?.at ?? Infinity, endOf(cluster));
}

function endOf({ deleteAfterDate }: Cluster): number {
  return deleteAfterDate === undefined ? Infinity : Date.parse(deleteAfterDate);
}
