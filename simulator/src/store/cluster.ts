/** Clusters in the store. */
import type { SeedCluster, StringKind } from "../seed/clusterFormat";

/** A private endpoint of a cluster. */
export interface PrivateEndpoint {
  /** ID of the endpoint at the cloud provider. */
  readonly endpointId: string;
  /** Region of the endpoint, for example `us-east-1`. */
  readonly region: string;
  /** `<i>` in the host names: unique in the project. */
  readonly index: number;
}

/** The fields of the seed that a cluster may lack. */
type OptionalField = "reported" | "deleteAfterDate";

/** The fields of the seed that have another type in a cluster, or none. */
type ChangedField = "privateEndpoints" | "pendingStrings" | "readyInSeconds";

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
 * Returns the major version of a full version.
 *
 * @param version for example `7.0.12`
 * @returns for example `7.0`
 */
export function majorVersion(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}
