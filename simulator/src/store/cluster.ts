/** Clusters in the store. */
import { createHash } from "node:crypto";
import { conflict, invalidAttribute } from "../errors";
import {
  type CloudProvider,
  type CompleteSeedCluster,
  type SeedAdditionalRegion,
  type SeedCluster,
  type SeedPrivateEndpoint,
  type StringKind,
  clusterSchema,
} from "../seed/cluster";
import { isoDate, parse } from "../seed/validation";

/** The fields of the seed that a cluster may lack. */
type OptionalField = "reported" | "readyAt";

/** The fields of the seed that have another type in a cluster, or none. */
type ChangedField = "additionalRegions" | "privateEndpoints" | "pendingStrings" | "readyInSeconds";

/** The fields with their defaults. */
type WithValues<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

/** A private endpoint of a cluster, with its index. */
export interface PrivateEndpoint extends Readonly<SeedPrivateEndpoint> {
  readonly index: number;
}

/** A region of another provider, in which a cluster has one more node. */
export type AdditionalRegion = WithValues<SeedAdditionalRegion>;

/** A cluster with all of its fields. Immutable; every update creates a new object. */
export interface Cluster
  extends WithValues<Omit<SeedCluster, OptionalField | ChangedField>>,
    Readonly<Pick<SeedCluster, OptionalField>> {
  /** Regions of other providers, with one more node each. */
  readonly additionalRegions: AdditionalRegion[];
  /** Private endpoints with their indexes. */
  readonly privateEndpoints: readonly PrivateEndpoint[];
  /** Kinds of connection string that are still missing. */
  readonly pendingStrings: readonly StringKind[];
}

/** The values of a project's clusters that must be unique. @internal */
export class TakenNames {
  readonly names = new Set<string>();
  /** Cluster names by host name. */
  readonly hostNames = new Map<string, string>();
  readonly endpointIndexes = new Set<number>();

  constructor(clusters: readonly Cluster[]) {
    for (const cluster of clusters) this.add(cluster);
  }

  add({ name, hostName, privateEndpoints }: Cluster): void {
    this.names.add(name);
    this.hostNames.set(hostName, name);
    for (const { index } of privateEndpoints) this.endpointIndexes.add(index);
  }
}

export function regionsOf({
  provider,
  regions,
  additionalRegions,
}: {
  readonly provider: CloudProvider;
  readonly regions: readonly string[];
  readonly additionalRegions: readonly SeedAdditionalRegion[];
}): { readonly provider: CloudProvider; readonly region: string }[] {
  return [...regions.map((region) => ({ provider, region })), ...additionalRegions];
}

export function providerOf(
  cluster: Cluster,
  { provider, region }: SeedPrivateEndpoint,
): CloudProvider {
  const own = regionsOf(cluster).find((place) => place.region === region)?.provider;
  return provider ?? own ?? cluster.provider;
}

export function majorVersion(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/** Clusters created before this date have legacy strings (service document 2.6). */
const legacyStringsEnd = Date.parse("2020-03-31T00:00:00Z");

/** Number of electable nodes of a shard, or of a replica set. */
const nodesPerShard = 3;

/** The project and the time, on which the defaults of a cluster depend. @internal */
export interface ClusterContext {
  /** Project of the cluster. */
  readonly projectId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Those of the other clusters of the project. */
  readonly taken: TakenNames;
}

/** @internal */
export function createCluster(seed: SeedCluster, context: ClusterContext): Cluster {
  return createValidCluster(validCluster(seed), context);
}

/** Creates a cluster from a seed that was validated before, for example with its project. @internal */
export function createValidCluster(seed: CompleteSeedCluster, context: ClusterContext): Cluster {
  if (context.taken.names.has(seed.name)) {
    const detail = `A cluster named "${seed.name}" already exists in this project.`;
    throw conflict("DUPLICATE_CLUSTER_NAME", detail, seed.name);
  }
  return completeCluster(seed, context);
}

/** Updates fields of a cluster. Private endpoints that it keeps retain their indexes. @internal */
export function changeCluster(
  cluster: Cluster,
  change: Partial<SeedCluster>,
  context: ClusterContext,
): Cluster {
  rejectNewName(cluster.name, change.name);
  const { pendingStrings, privateEndpoints, nodes, ...rest } = cluster;
  const { state, readyInSeconds, type = cluster.type, shards = cluster.shards } = change;
  const carried = {
    ...rest,
    // Other shards have other nodes.
    ...(type === cluster.type && shards === cluster.shards ? { nodes } : {}),
    // A new state resets the pending strings.
    ...(state === undefined ? { pendingStrings: [...pendingStrings] } : {}),
    // A new state, or a new time until the cluster is IDLE, cancels the earlier time.
    ...(state === undefined && readyInSeconds === undefined ? {} : { readyAt: undefined }),
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

/** @internal */
export function rejectNewName(name: string, newName: string = name): void {
  if (newName !== name) throw invalidAttribute("The name of a cluster cannot be changed.", "name");
}

function validCluster(seed: SeedCluster): CompleteSeedCluster {
  return parse(clusterSchema, seed, `The cluster "${seed.name}"`);
}

function completeCluster(valid: CompleteSeedCluster, context: ClusterContext): Cluster {
  const { readyInSeconds, ...fields } = valid;
  const createdAt = valid.createdAt ?? isoDate(context.now);
  const cluster: Cluster = {
    ...fields,
    id: valid.id ?? sha256(context.projectId, valid.name, valid.createdAt ?? "").slice(0, 24),
    hostName: valid.hostName ?? hostNamePart(valid.name),
    shardId: valid.shardId ?? shortName(6, context.projectId, valid.name, valid.createdAt ?? ""),
    createdAt,
    legacyConnectionStrings:
      valid.legacyConnectionStrings ?? Date.parse(createdAt) < legacyStringsEnd,
    nodes: valid.nodes ?? nodesPerShard * (valid.type === "REPLICASET" ? 1 : valid.shards),
    privateEndpoints: assignEndpointIndexes(valid.privateEndpoints, context.taken),
    pendingStrings: valid.pendingStrings ?? (valid.state === "CREATING" ? allKinds : []),
    ...(readyInSeconds === undefined ? {} : { readyAt: context.now + readyInSeconds * 1000 }),
  };
  checkHostName(cluster, context.taken);
  checkPrivateEndpoints(cluster, context.taken);
  return cluster;
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

export function sha256(...parts: string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

/** Derives a name of lower case letters and digits. @internal */
export function shortName(length: number, ...parts: string[]): string {
  const number = BigInt(`0x${sha256(...parts)}`).toString(36);
  return number.slice(-length);
}

/** Derives the cluster's part of its host names. */
function hostNamePart(name: string): string {
  return name.toLowerCase().slice(0, 23).replace(/-+$/, "");
}

/** Checks that the host names are unique (service document 1 rule 8). */
function checkHostName({ name, hostName }: Cluster, taken: TakenNames): void {
  // Other kinds of string use these forms.
  if (/-pri$|-shard-\d\d-\d\d$|(?:^|-)pl-\d+-|-psc-\d+$/.test(hostName)) {
    throw invalidAttribute(
      `The name "${name}" is not allowed, because its host names could be those of another cluster.`,
      "name",
    );
  }
  const other = taken.hostNames.get(hostName);
  if (other === undefined) return;
  const detail =
    `The name "${name}" has the same host names as the cluster "${other}": ` +
    "the first 23 characters must differ in more than letter case.";
  throw conflict("DUPLICATE_CLUSTER_NAME", detail, name);
}

function checkPrivateEndpoints(cluster: Cluster, taken: TakenNames): void {
  const { privateEndpoints } = cluster;
  // Only a seed can set the provider of an endpoint.
  if (
    privateEndpoints.some(
      (endpoint) => endpoint.provider !== "C" && providerOf(cluster, endpoint) === "C",
    )
  ) {
    throw invalidAttribute(
      "Private endpoints are available in providers A and B only.",
      "privateEndpoints",
    );
  }
  // `<cluster>-pl-<i>-lb` is the host name of the optimized string, and `<cluster>-pl-<i>-pri` would also be the
  // peering-private host name of a cluster `<cluster>-pl-<i>`.
  const ambiguous = privateEndpoints
    .map(({ region, hostRegion = region }) => hostRegion)
    .find((region) => /^(?:lb|pri|shard-\d\d-\d\d(?:-pri)?|pl-\d+-.*)$/.test(region));
  if (ambiguous !== undefined) {
    throw invalidAttribute(
      `The region "${ambiguous}" is not allowed, because its host names could be those of another cluster.`,
      "privateEndpoints",
    );
  }
  if (hasDuplicates(privateEndpoints.map(({ endpointId }) => endpointId))) {
    throw invalidAttribute(
      "Two private endpoints of the cluster have the same endpointId.",
      "privateEndpoints",
    );
  }
  const indexes = privateEndpoints.map(({ index }) => index);
  if (indexes.some((index) => taken.endpointIndexes.has(index)) || hasDuplicates(indexes)) {
    throw invalidAttribute(
      "Two private endpoints of the project have the same index.",
      "privateEndpoints",
    );
  }
}

function hasDuplicates(values: readonly unknown[]): boolean {
  return new Set(values).size !== values.length;
}

const allKinds: StringKind[] = ["standard", "private", "privateEndpoint"];

/** Sets the clusters whose `readyAt` has passed to IDLE. Returns the same array if there are none. @internal */
export function withReadyClusters(clusters: readonly Cluster[], now: number): readonly Cluster[] {
  if (!clusters.some(({ readyAt = Infinity }) => readyAt <= now)) return clusters;
  return clusters.map((cluster) => {
    const { readyAt = Infinity, ...others } = cluster;
    return readyAt <= now ? { ...others, state: "IDLE", pendingStrings: [] } : cluster;
  });
}
