/** The format of a cluster in the seed, as types without zod like format.ts. */

/** Type of a cluster. */
export type ClusterType = "REPLICASET" | "SHARDED" | "GEOSHARDED";
/** Tier of a cluster. */
export type ClusterTier = "DEDICATED" | "FREE" | "FLEX";
/** State of a cluster. */
export type ClusterState = "IDLE" | "CREATING" | "UPDATING" | "DELETING" | "REPAIRING";
/** Cloud provider of a cluster. */
export type CloudProvider = "A" | "B" | "C";
/** Kind of connection string that can be pending. */
export type StringKind = "standard" | "private" | "privateEndpoint";

/** A private endpoint of a cluster in a seed. */
export interface SeedPrivateEndpoint {
  /** ID of the endpoint at the cloud provider. */
  endpointId: string;
  /** Region of the endpoint, for example `us-east-1`. */
  region: string;
  /** `<i>` in the host names: unique in the project. Default: the next free one. */
  index?: number | undefined;
}

/** A region of another cloud provider, in which a cluster has one more node. */
export interface SeedAdditionalRegion {
  /** Cloud provider of the region. */
  provider: CloudProvider;
  /** The region, for example `eastus`. */
  region: string;
  /**
   * Whether the node cannot become the primary.
   *
   * @default false
   */
  readOnly?: boolean | undefined;
}

/** The version fields of a cluster in API responses. */
export interface ReportedVersions {
  /** Full version; null omits the field. */
  version?: string | null | undefined;
  /** Major version; null omits the field. */
  majorVersion?: string | null | undefined;
}

/** A scheduled change of a cluster. */
export interface SeedTransition {
  /** When the change is due on the simulated clock, in milliseconds since 1970. */
  at: number;
  /** The new state; `GONE` deletes the cluster. */
  state: ClusterState | "GONE";
  /** Kinds of connection string that are still missing afterwards. */
  pendingStrings: StringKind[];
}

/** A cluster in a seed. */
export interface SeedCluster {
  /** Unique in the project: 1 to 64 letters, digits and hyphens. */
  name: string;
  /** The cluster's part of its host names. Default: derived from the name. Set it to simulate a renamed cluster. */
  hostName?: string | undefined;
  /** 24 hexadecimal digits. Default: generated. */
  id?: string | undefined;
  /**
   * Type of the cluster.
   *
   * @default "REPLICASET"
   */
  type?: ClusterType | undefined;
  /**
   * Tier. A legacy string of a Free or Flex cluster depends on its provider (service document 2.6
   * rule 9).
   *
   * @default "DEDICATED"
   */
  tier?: ClusterTier | undefined;
  /**
   * Full version, for example `7.0.12`, or `7.0.0-rc1` for a pre-release.
   *
   * @default "8.0.4"
   */
  version?: string | undefined;
  /** Overrides the version fields in API responses. Default: both agree with `version`. */
  reported?: ReportedVersions | undefined;
  /**
   * Cloud provider.
   *
   * @default "A"
   */
  provider?: CloudProvider | undefined;
  /**
   * Regions of the provider, at most 20. More than one makes the cluster multi-region.
   *
   * @default ["us-east-1"]
   */
  regions?: string[] | undefined;
  /**
   * Regions of other providers, at most 20, with one more node each (service document 2.6 rules 4 and 10).
   *
   * @default []
   */
  additionalRegions?: SeedAdditionalRegion[] | undefined;
  /** ISO 8601; UTC unless it has a time zone. Default: the time at which the cluster is added. */
  createdAt?: string | undefined;
  /**
   * Whether network peering is configured.
   *
   * @default false
   */
  peering?: boolean | undefined;
  /**
   * Private endpoints, at most 100.
   *
   * @default []
   */
  privateEndpoints?: SeedPrivateEndpoint[] | undefined;
  /**
   * Whether regionalized private endpoints are enabled.
   *
   * @default false
   */
  regionalizedPrivateEndpoints?: boolean | undefined;
  /** Default: true if the cluster was created before 31 March 2020 (service document 2.6). */
  legacyConnectionStrings?: boolean | undefined;
  /** ID in the names of replica sets and shards (service document 2.6 rule 2). Default: generated. */
  shardId?: string | undefined;
  /**
   * Number of shards, 1 to 50; ignored for a replica set.
   *
   * @default 2
   */
  shards?: number | undefined;
  /** Number of electable nodes, each with a host name, 1 to 150. Default: three for each shard. */
  nodes?: number | undefined;
  /**
   * Index of the first electable node in the host names. It rises when the nodes are replaced (service
   * document 2.6 rule 10).
   *
   * @default 0
   */
  firstNode?: number | undefined;
  /**
   * Disk size in GB.
   *
   * @default 10
   */
  diskSizeGB?: number | undefined;
  /**
   * Whether the cluster is paused. The simulator only reports it in API responses.
   *
   * @default false
   */
  paused?: boolean | undefined;
  /**
   * State of the cluster. It changes by itself only with `readyInSeconds` or `transitions`.
   *
   * @default "IDLE"
   */
  state?: ClusterState | undefined;
  /** Seconds until a cluster in any other state becomes IDLE. Default: never. */
  readyInSeconds?: number | undefined;
  /** Kinds of connection string that are still missing. Default: all if CREATING, else none. */
  pendingStrings?: StringKind[] | undefined;
  /** Time at which the service deletes the cluster, ISO 8601. Default: never. */
  deleteAfterDate?: string | undefined;
  /**
   * Scheduled changes. The state file uses them.
   *
   * @default []
   */
  transitions?: SeedTransition[] | undefined;
}
