/**
 * The outputs of a lookup, and the results of its functions. A new output starts here, in its type and the constants
 * below it; CONTRIBUTING.md lists the rest. Programs load this file, so it does not use zod
 * (docs/internals/decisions.md#0014-measured-optimizations).
 */
import type {
  ClusterStrings,
  ConnectionStringKind,
  PrivateEndpointStrings,
} from "clouddb-connection-strings";

/**
 * The result of a lookup: every string that the service returned for the cluster, unchanged, and the one to use.
 */
export interface GetConnectionStringsResult extends ClusterStrings {
  /** The ID of the project. */
  readonly projectId: string;
  /** The name of the cluster. */
  readonly clusterName: string;
  /**
   * The string for the requested network and form.
   *
   * @example "mongodb+srv://pl-0-us-east-1.ab1cd.db.example"
   */
  readonly recommended: string;
  /**
   * The kind of the recommended string.
   *
   * @example "privateEndpointSrv"
   */
  readonly recommendedKind: ConnectionStringKind;
  /**
   * The private endpoints, ordered by index.
   *
   * @example [{ index: 0, region: "us-east-1", endpointIds: ["vpce-0a1b2c3d"], srv: "mongodb+srv://pl-0-us-east-1.ab1cd.db.example" }]
   */
  readonly privateEndpoints: PrivateEndpointStrings[];
  /**
   * The full database version, `<major>.<minor>.<patch>`.
   *
   * @example "7.0.12"
   */
  readonly databaseVersion?: string;
}

/** The names of all outputs. @internal */
export const outputs = [
  "projectId",
  "clusterName",
  "recommended",
  "recommendedKind",
  "standard",
  "standardSrv",
  "private",
  "privateSrv",
  "legacy",
  "legacySrv",
  "privateEndpoints",
  "databaseVersion",
  "others",
] as const satisfies readonly (keyof GetConnectionStringsResult)[];

/** The clusters of a project. */
export interface GetClustersResult {
  /** The ID of the project. */
  readonly projectId: string;
  /** Every cluster of the project, or those in `names`, sorted by name. */
  readonly clusters: readonly ListedCluster[];
}

/** A cluster of a project, with every string that the service returned for it, unchanged. */
export interface ListedCluster extends ClusterStrings {
  /** The name of the cluster, which is unique in its project. */
  readonly name: string;
  /** The state, such as `IDLE` or `CREATING`, as the service returned it. */
  readonly state?: string;
  /** The full database version, `<major>.<minor>.<patch>`. */
  readonly databaseVersion?: string;
  /** The string for the requested network and form; absent if the cluster has none, or several. */
  readonly recommended?: string;
  /** The kind of the recommended string. */
  readonly recommendedKind?: ConnectionStringKind;
}
