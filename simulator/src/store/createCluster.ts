/** Creates and changes clusters: defaults, derived values and validation. */
import type { SeedCluster } from "../seed/clusterFormat";
import { clusterSchema, type CompleteSeedCluster } from "../seed/clusterSchema";
import { isoDate } from "../seed/dates";
import { parse } from "../seed/validation";
import type { Cluster, PrivateEndpoint, TakenNames } from "./cluster";
import { checkCluster } from "./clusterRules";
import { digest, hostNamePart, shortName } from "./derivedNames";
import { ServiceError } from "./serviceError";
import { allKinds, transitionsToIdle } from "./transitions";

/** Clusters created before this date have legacy strings (service document 2.6). */
const legacyStringsEnd = Date.parse("2020-03-31T00:00:00Z");

/** Number of electable nodes of a shard, or of a replica set. */
const nodesPerShard = 3;

/** The project and the time: the defaults of a cluster depend on them. */
export interface ClusterContext {
  /** Project of the cluster. */
  readonly projectId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Names and indexes that other clusters of the project use. */
  readonly taken: TakenNames;
}

/**
 * Creates a cluster from its seed.
 *
 * @param seed the cluster
 * @param context the project and the time
 * @returns the cluster with its defaults
 * @throws SeedError if a field is invalid
 * @throws ServiceError if the cluster conflicts with another one or with a rule of the service
 */
export function createCluster(seed: SeedCluster, context: ClusterContext): Cluster {
  return createValidCluster(validCluster(seed), context);
}

/**
 * Creates a cluster from a seed that was validated before, for example with its project.
 *
 * @param seed the cluster with its defaults
 * @param context the project and the time
 * @returns the cluster
 * @throws ServiceError if the cluster conflicts with another one or with a rule of the service
 */
export function createValidCluster(seed: CompleteSeedCluster, context: ClusterContext): Cluster {
  const cluster = completeCluster(seed, context);
  if (context.taken.clusters.has(cluster.name)) {
    throw new ServiceError(
      409,
      "DUPLICATE_CLUSTER_NAME",
      `A cluster named "${cluster.name}" already exists in this project.`,
      [cluster.name],
    );
  }
  return cluster;
}

/**
 * Updates fields of a cluster. Private endpoints that it keeps retain their indexes.
 *
 * @param cluster the current cluster
 * @param change the new values
 * @param context the project and the time
 * @returns the updated cluster
 * @throws SeedError if a field is invalid
 * @throws ServiceError if the cluster conflicts with another one or with a rule of the service
 */
export function changeCluster(
  cluster: Cluster,
  change: Partial<SeedCluster>,
  context: ClusterContext,
): Cluster {
  if (change.name !== undefined && change.name !== cluster.name) {
    throw new ServiceError(400, "INVALID_ATTRIBUTE", "The name of a cluster cannot be changed.", [
      "name",
    ]);
  }
  const { pendingStrings, privateEndpoints, nodes, ...rest } = cluster;
  const { state, readyInSeconds, type, shards } = change;
  const carried = {
    ...rest,
    // Other shards have other nodes.
    ...(type === undefined && shards === undefined ? { nodes } : {}),
    // A new state resets the pending strings.
    ...(state === undefined ? { pendingStrings: [...pendingStrings] } : {}),
    // A new state or a new time until the cluster is IDLE cancels earlier transitions.
    ...(state === undefined && readyInSeconds === undefined ? {} : { transitions: [] }),
  };
  const endpoints = (change.privateEndpoints ?? privateEndpoints).map((endpoint) => ({
    index: privateEndpoints.find(
      ({ endpointId, region }) => endpointId === endpoint.endpointId && region === endpoint.region,
    )?.index,
    ...endpoint,
  }));
  const changed = { ...carried, ...change, privateEndpoints: endpoints };
  return completeCluster(validCluster(changed), context);
}

function validCluster(seed: SeedCluster): CompleteSeedCluster {
  return parse(clusterSchema, seed, `The cluster "${seed.name}"`);
}

function completeCluster(valid: CompleteSeedCluster, context: ClusterContext): Cluster {
  const { readyInSeconds, ...fields } = valid;
  const createdAt = valid.createdAt ?? isoDate(context.now);
  const cluster: Cluster = {
    ...fields,
    id: valid.id ?? digest(context.projectId, valid.name, valid.createdAt ?? "").slice(0, 24),
    hostName: valid.hostName ?? hostNamePart(valid.name),
    shardId: valid.shardId ?? shortName(6, context.projectId, valid.name, valid.createdAt ?? ""),
    createdAt,
    legacyConnectionStrings:
      valid.legacyConnectionStrings ?? Date.parse(createdAt) < legacyStringsEnd,
    nodes: valid.nodes ?? nodesPerShard * (valid.type === "REPLICASET" ? 1 : valid.shards),
    privateEndpoints: assignEndpointIndexes(valid.privateEndpoints, context.taken),
    pendingStrings: valid.pendingStrings ?? (valid.state === "CREATING" ? allKinds : []),
    transitions: [
      ...valid.transitions,
      ...transitionsToIdle(valid.state, readyInSeconds, context.now),
    ].sort((one, other) => one.at - other.at),
  };
  checkCluster(cluster, context.taken);
  return cluster;
}

/** Assigns free indexes to the endpoints without one. */
function assignEndpointIndexes(
  endpoints: CompleteSeedCluster["privateEndpoints"],
  taken: TakenNames,
): PrivateEndpoint[] {
  const used = new Set(endpoints.flatMap(({ index }) => index ?? []));
  let next = taken.lowestFreeIndex();
  return endpoints.map((endpoint) => {
    if (endpoint.index !== undefined) return { ...endpoint, index: endpoint.index };
    while (taken.endpointIndexes.has(next) || used.has(next)) next += 1;
    used.add(next);
    return { ...endpoint, index: next };
  });
}
