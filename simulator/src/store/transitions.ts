/** Transitions: scheduled changes of a cluster. */
import type { CompleteSeedCluster } from "../seed/clusterSchema";
import type { StringKind } from "../seed/clusterFormat";
import type { Cluster } from "./cluster";

/** All kinds of connection string. */
export const allKinds: StringKind[] = ["standard", "private", "privateEndpoint"];

/**
 * Returns the transitions to IDLE. A new cluster gets its standard strings after half of the time,
 * and the others when it is IDLE.
 *
 * @param state the current state of the cluster
 * @param seconds seconds until the cluster is IDLE; undefined if it stays in its state
 * @param now milliseconds since 1970
 * @returns the transitions, oldest first
 */
export function transitionsToIdle(
  state: CompleteSeedCluster["state"],
  seconds: number | undefined,
  now: number,
): CompleteSeedCluster["transitions"] {
  if (seconds === undefined || state === "IDLE") return [];
  const ready = { at: now + seconds * 1000, state: "IDLE" as const, pendingStrings: [] };
  if (state !== "CREATING") return [ready];
  return [
    {
      at: now + seconds * 500,
      state,
      pendingStrings: allKinds.filter((kind) => kind !== "standard"),
    },
    ready,
  ];
}

/**
 * Applies the transitions of a cluster that are due. They are in the order of their times.
 *
 * @param cluster the cluster
 * @param now milliseconds since 1970
 * @returns the same cluster if none are due, or undefined if the cluster is deleted
 */
export function applyTransitions(cluster: Cluster, now: number): Cluster | undefined {
  const due = cluster.transitions.filter(({ at }) => at <= now);
  const last = due.at(-1);
  if (last?.state === "GONE" || deletionTimeOf(cluster) <= now) return undefined;
  if (!last) return cluster;
  return {
    ...cluster,
    state: last.state,
    pendingStrings: last.pendingStrings,
    transitions: cluster.transitions.slice(due.length),
  };
}

/**
 * Returns when a cluster changes next.
 *
 * @param cluster the cluster
 * @returns milliseconds since 1970; `Infinity` if never
 */
export function nextTransitionOf(cluster: Cluster): number {
  return Math.min(cluster.transitions[0]?.at ?? Infinity, deletionTimeOf(cluster));
}

function deletionTimeOf({ deleteAfterDate }: Cluster): number {
  return deleteAfterDate === undefined ? Infinity : Date.parse(deleteAfterDate);
}
