/** Clusters in the store. */
import type {
  CloudProvider,
  SeedAdditionalRegion,
  SeedCluster,
  StringKind,
} from "../seed/clusterFormat";

/** A private endpoint of a cluster. */
export interface PrivateEndpoint {
  /** ID of the endpoint at the cloud provider. */
  readonly endpointId: string;
  /** Region of the endpoint, for example `us-east-1`. */
  readonly region: string;
  /** `<i>` in the host names: unique in the project. */
  readonly index: number;
}

/** A region of another provider, in which a cluster has one more node. */
export interface AdditionalRegion {
  /** Cloud provider of the region. */
  readonly provider: CloudProvider;
  /** The region, for example `eastus`. */
  readonly region: string;
  /** Whether the node cannot become the primary. */
  readonly readOnly: boolean;
}

/** The fields of the seed that a cluster may lack. */
type OptionalField = "reported" | "deleteAfterDate";

/** The fields of the seed that have another type in a cluster, or none. */
type ChangedField = "additionalRegions" | "privateEndpoints" | "pendingStrings" | "readyInSeconds";

type WithValues<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

/** A cluster with all of its fields. Immutable: every update creates a new object. */
export interface Cluster
  extends WithValues<Omit<SeedCluster, OptionalField | ChangedField>>,
    Readonly<Pick<SeedCluster, OptionalField>> {
  /** Cluster ID: 24 hexadecimal digits. */
  readonly id: string;
  /** The cluster's part of its host names. */
  readonly hostName: string;
  /** ID in the names of replica sets and shards. */
  readonly shardId: string;
  /** Regions of other providers, with one more node each. */
  readonly additionalRegions: AdditionalRegion[];
  /** Number of electable nodes. */
  readonly nodes: number;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** Whether the cluster has legacy connection strings. */
  readonly legacyConnectionStrings: boolean;
  /** Private endpoints with their indexes. */
  readonly privateEndpoints: readonly PrivateEndpoint[];
  /** Kinds of connection string that are still missing. */
  readonly pendingStrings: readonly StringKind[];
}

/** The values of a project's clusters that must be unique. */
export interface TakenNames {
  /** Clusters by name. */
  readonly clusters: ReadonlyMap<string, Cluster>;
  /** Cluster names by host name. */
  readonly hostNames: ReadonlyMap<string, string>;
  /** Cluster names by the index of a private endpoint. */
  readonly endpointIndexes: ReadonlyMap<number, string>;
  /** Returns the lowest index that no private endpoint uses. */
  readonly lowestFreeIndex: () => number;
}

/**
 * Returns all regions of a cluster with their providers.
 *
 * @param cluster the cluster
 * @returns the regions of its provider, then those of others
 */
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

/**
 * Returns the provider of a private endpoint.
 *
 * @param cluster the cluster
 * @param region the region of the endpoint
 * @returns the provider in whose regions it is; the provider of the cluster if it is in none
 */
export function providerOf(cluster: Cluster, region: string): CloudProvider {
  return regionsOf(cluster).find((each) => each.region === region)?.provider ?? cluster.provider;
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
