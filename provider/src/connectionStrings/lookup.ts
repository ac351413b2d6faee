/** Looks up one cluster of a project and the connection string that was asked for. */
import { distance } from "fastest-levenshtein";
import type { SharedListing } from "../api/sharedListing";
import type { Cluster } from "../api/schemas";
import { type ClusterStrings, clusterStrings } from "./clusterStrings";
import { type ConnectionStringKind, type Wanted, select } from "./selection";

export interface Query extends Wanted {
  readonly projectId: string;
  readonly clusterName: string;
}

/** What a lookup tells of a cluster. */
export interface FoundStrings extends ClusterStrings {
  /** Full version, `<major>.<minor>.<patch>`. */
  readonly databaseVersion?: string;
  /** The string for the network and form that were asked for. */
  readonly recommended: string;
  readonly recommendedKind: ConnectionStringKind;
}

export type Lookup =
  | { readonly kind: "found"; readonly strings: FoundStrings }
  /** Not there, perhaps not yet. `problem` says what is missing, why, and what to do. */
  | ({
      readonly kind: "noCluster" | "noString";
      /** What is not there, in a few words. */
      readonly missing: string;
    } & Failure)
  /** What was asked for is not one string, whatever the cluster gets. */
  | ({ readonly kind: "unclear" } & Failure);

interface Failure {
  readonly problem: string;
  /** The argument that it is about. */
  readonly property: "clusterName" | "network" | "optimized";
}

/**
 * Looks the cluster up in the shared listing; where that lacks the cluster or the string, once more
 * in a new one: another resource may just have created it.
 */
export async function lookUp(listing: SharedListing, query: Query): Promise<Lookup> {
  const began = Date.now();
  const shared = await lookUpShared(listing, query);
  if (shared.kind === "found" || shared.kind === "unclear") return shared;
  // Many that look for something missing at once share the second reading as well.
  return lookUpIn(await listing.clustersSince(query.projectId, began), query);
}

/** Looks the cluster up in the shared listing alone: for who looks again anyway. */
export async function lookUpShared(listing: SharedListing, query: Query): Promise<Lookup> {
  return lookUpIn(await listing.clusters(query.projectId), query);
}

export function lookUpIn(clusters: readonly Cluster[], query: Query): Lookup {
  const cluster = clusters.find(({ name }) => name === query.clusterName);
  if (cluster === undefined) {
    const problem = noSuchCluster(clusters, query);
    return {
      kind: "noCluster",
      property: "clusterName",
      missing: `cluster ${query.clusterName}`,
      problem,
    };
  }
  const strings = clusterStrings(cluster.connectionStrings);
  const selection = select(strings, query);
  const state = cluster.state === undefined ? "" : ` (state ${cluster.state})`;
  const subject = `cluster ${query.clusterName}${state} of project ${query.projectId}`;
  switch (selection.kind) {
    case "unclear":
      return { ...selection, problem: `${subject}: ${selection.problem}` };
    case "missing": {
      const why =
        cluster.state === "CREATING"
          ? "The cluster is still being created; waitSeconds says how long to wait for it."
          : selection.why;
      const problem = `${subject} has no ${selection.missing}. ${why}`;
      const missing = `${selection.missing} of cluster ${query.clusterName}${state}`;
      return { kind: "noString", property: selection.property, missing, problem };
    }
    case "selected":
      return {
        kind: "found",
        strings: {
          ...strings,
          ...(cluster.version ? { databaseVersion: cluster.version } : {}),
          recommended: selection.connectionString,
          recommendedKind: selection.connectionStringKind,
        },
      };
  }
}

const mostNames = 5;

function noSuchCluster(clusters: readonly Cluster[], { projectId, clusterName }: Query): string {
  const missing = `project ${projectId} has no cluster ${clusterName}.`;
  if (clusters.length === 0) return `${missing} It has no clusters at all.`;
  const wanted = clusterName.toLowerCase();
  const nearest = clusters
    .map(({ name }) => ({ name, far: distance(name.toLowerCase(), wanted) }))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, mostNames)
    .map(({ name }) => name);
  return `${missing} The nearest of its ${clusters.length} clusters by name: ${nearest.join(", ")}.`;
}
