/** Clusters in the store: defaults, validation and updates. */
import { createHash } from "node:crypto";
import { ServiceError } from "../errors";
import {
  clusterSchema,
  type CompleteSeedCluster,
  isoDate,
  parse,
  type SeedCluster,
  type StringKind,
} from "../seed";

/** A private endpoint of a cluster. */
export interface PrivateEndpoint {
  /** `<i>` in the host names: unique in the project. */
  readonly index: number;
  /** ID of the endpoint at the cloud provider. */
  readonly endpointId: string;
  /** Region of the endpoint. */
  readonly region: string;
}

/** A cluster with all of its fields. Immutable: every update creates a new object. */
export interface Cluster
  extends Readonly<
    Omit<CompleteSeedCluster, "readyInSeconds" | "privateEndpoints" | "pendingStrings">
  > {
  /** Cluster ID: 24 hexadecimal digits. */
  readonly id: string;
  /** The cluster's part of its host names. */
  readonly hostName: string;
  /** ID in the names of replica sets and shards. */
  readonly shardId: string;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** Whether the cluster has legacy connection strings. */
  readonly legacyConnectionStrings: boolean;
  /** Private endpoints with their indexes. */
  readonly privateEndpoints: readonly PrivateEndpoint[];
  /** Kinds of connection string that are still missing. */
  readonly pendingStrings: readonly StringKind[];
}

const allKinds: StringKind[] = ["standard", "private", "privateEndpoint"];
/** Clusters created before this date have legacy strings (service document 2.6). */
const legacyStringsEnd = "2020-03-31T00:00:00Z";

/** The project and the time, on which the defaults of a cluster depend. */
export interface ClusterContext {
  /** Project of the cluster. */
  readonly projectId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Names and indexes that other clusters of the project use. */
  readonly taken: TakenNames;
}

/** The values of a project's clusters that must be unique. */
export interface TakenNames {
  /** Clusters by name. */
  readonly clusters: ReadonlyMap<string, Cluster>;
  /** Cluster names by host name. */
  readonly hostNames: ReadonlyMap<string, string>;
  /** Cluster names by the index of a private endpoint. */
  readonly endpointIndexes: ReadonlyMap<number, string>;
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
  const { pendingStrings, privateEndpoints, ...rest } = cluster;
  // A new state resets the pending strings and cancels earlier transitions.
  const carried =
    change.state === undefined
      ? { ...rest, pendingStrings: [...pendingStrings] }
      : { ...rest, transitions: [] };
  const endpoints = (change.privateEndpoints ?? privateEndpoints).map((endpoint) => ({
    index: privateEndpoints.find(
      ({ endpointId, region }) => endpointId === endpoint.endpointId && region === endpoint.region,
    )?.index,
    ...endpoint,
  }));
  return completeCluster({ ...carried, ...change, privateEndpoints: endpoints }, context);
}

function completeCluster(seed: SeedCluster, context: ClusterContext): Cluster {
  const valid = parse(clusterSchema, seed, `The cluster "${seed.name}"`);
  const { readyInSeconds, ...given } = valid;
  const createdAt = valid.createdAt ?? isoDate(context.now);
  const cluster: Cluster = {
    ...given,
    id: valid.id ?? digest(context.projectId, valid.name, valid.createdAt ?? "").slice(0, 24),
    hostName: valid.hostName ?? hostNamePart(valid.name),
    shardId: valid.shardId ?? shortName(6, context.projectId, valid.name, valid.createdAt ?? ""),
    createdAt,
    legacyConnectionStrings: valid.legacyConnectionStrings ?? createdAt < legacyStringsEnd,
    privateEndpoints: assignEndpointIndexes(valid.privateEndpoints, context.taken),
    pendingStrings: valid.pendingStrings ?? (valid.state === "CREATING" ? allKinds : []),
    transitions: [
      ...valid.transitions,
      ...transitionsToIdle(valid.state, readyInSeconds, context.now),
    ],
  };
  checkCluster(cluster, context.taken);
  return cluster;
}

/**
 * Returns the major version of a full version.
 *
 * @param version for example `7.0.12`
 * @returns for example `7.0`
 */
export function majorVersion(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/**
 * Derives a name of lower case letters and digits.
 *
 * @param length length of the name
 * @param parts the values to derive it from: the same parts always give the same name
 * @returns the name
 */
export function shortName(length: number, ...parts: string[]): string {
  const number = BigInt(`0x${digest(...parts)}`).toString(36);
  return number.slice(-length);
}

/**
 * Returns the SHA-256 digest of some values.
 *
 * @param parts the values
 * @returns 64 hexadecimal digits
 */
export function digest(...parts: string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

/** Returns the name in lower case, cut to 23 characters so that host labels stay within 63. */
function hostNamePart(name: string): string {
  return name.toLowerCase().slice(0, 23).replace(/-+$/, "");
}

/** Assigns free indexes to the endpoints without one. */
function assignEndpointIndexes(
  endpoints: CompleteSeedCluster["privateEndpoints"],
  taken: TakenNames,
): PrivateEndpoint[] {
  const used = new Set(endpoints.flatMap(({ index }) => index ?? []));
  let next = 0;
  return endpoints.map((endpoint) => {
    if (endpoint.index !== undefined) return { ...endpoint, index: endpoint.index };
    while (taken.endpointIndexes.has(next) || used.has(next)) next += 1;
    used.add(next);
    return { ...endpoint, index: next };
  });
}

/**
 * Returns the transitions to IDLE. A new cluster gets its standard strings after half of the time,
 * and the others when it is IDLE.
 */
function transitionsToIdle(
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

function checkCluster(cluster: Cluster, taken: TakenNames): void {
  const reject = (field: string, detail: string) => {
    throw new ServiceError(400, "INVALID_ATTRIBUTE", detail, [field]);
  };
  // Host names are unique (service document 1 rule 8). Other kinds of string use these forms.
  if (/-pri$|-shard-\d\d-\d\d$|(?:^|-)pl-\d+-/.test(cluster.hostName)) {
    reject(
      "name",
      `The name "${cluster.name}" is not allowed: its host names could be those of another cluster.`,
    );
  }
  if (cluster.provider === "C" && cluster.privateEndpoints.length > 0) {
    reject("privateEndpoints", "Private endpoints are available in providers A and B only.");
  }
  const conflict = taken.hostNames.get(cluster.hostName);
  if (conflict !== undefined && conflict !== cluster.name) {
    throw new ServiceError(
      409,
      "DUPLICATE_CLUSTER_NAME",
      `The name "${cluster.name}" has the same host names as the cluster "${conflict}": ` +
        "the first 23 characters must differ in more than upper and lower case.",
      [cluster.name],
    );
  }
  const indexes = cluster.privateEndpoints.map(({ index }) => index);
  const ids = cluster.privateEndpoints.map(({ endpointId }) => endpointId);
  if (new Set(ids).size !== ids.length) {
    reject("privateEndpoints", "Two private endpoints of the cluster have the same endpointId.");
  }
  const hasConflict = indexes.some(
    (index) => (taken.endpointIndexes.get(index) ?? cluster.name) !== cluster.name,
  );
  if (hasConflict || new Set(indexes).size !== indexes.length) {
    reject("privateEndpoints", "Two private endpoints of the project have the same index.");
  }
}
