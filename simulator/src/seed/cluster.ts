/** A cluster in the seed and the state file: its type for users, and its schema with the defaults. */
import { z } from "zod";
import { dateSchema, idSchema, secondsSchema } from "./validation";

/** Type of a cluster. */
export type ClusterType = "REPLICASET" | "SHARDED" | "GEOSHARDED";
/** Tier of a cluster. */
export type ClusterTier = "DEDICATED" | "FREE" | "FLEX";
/** Path below a project that lists clusters. */
export type ListingPath = "clusters" | "flexClusters";
/** Where a cluster is listed: at one path or, right after the upgrade of a Flex cluster, at both. */
export type Listing = ListingPath | "both";
/** State of a cluster. */
export type ClusterState = "IDLE" | "CREATING" | "UPDATING" | "DELETING" | "REPAIRING";
/** Cloud provider of a cluster. */
export type CloudProvider = "A" | "B" | "C";
/** A family of services, which have paths, names and formats in common: that of the default API, or Atlas. */
export type Profile = "default" | "atlas";
/** Kind of connection string that can be pending. */
export type StringKind = "standard" | "private" | "privateEndpoint";

/** A private endpoint of a cluster in a seed. */
export interface SeedPrivateEndpoint {
  /** ID of the endpoint at the cloud provider. */
  endpointId: string;
  /** Region of the endpoint, for example `us-east-1`. */
  region: string;
  /** Name of the region in API responses, for example `EASTERN_US`. Default: derived from `region`. */
  recordRegion?: string | undefined;
  /** Name of the region in host names, for example `us-east1-gcp`. Default: derived from `region`. */
  hostRegion?: string | undefined;
  /** Default: that of the region. C must be set, because only A and B have documented endpoints. */
  provider?: CloudProvider | undefined;
  /**
   * Whether the endpoint has one host with a port for each node, and the SRV name `<cluster>-psc-<i>`.
   *
   * @default false
   */
  portMapped?: boolean | undefined;
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

/** A cluster in a seed. Its strings follow the [service document](https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/internals/service.md#26-connection-strings). */
export interface SeedCluster {
  /** Unique in the project: 1 to 64 letters, digits and hyphens. */
  name: string;
  /** The cluster's part of its host names. Set it to simulate a renamed cluster. Default: derived from the name. */
  hostName?: string | undefined;
  /** 24 hexadecimal digits. Default: generated. */
  id?: string | undefined;
  /**
   * `REPLICASET`, `SHARDED` or `GEOSHARDED`.
   *
   * @default "REPLICASET"
   */
  type?: ClusterType | undefined;
  /**
   * `DEDICATED`, `FREE` or `FLEX`. The host names of Free and Flex clusters with legacy strings contain `.azure` in
   * provider B and `.gcp` in provider C.
   *
   * @default "DEDICATED"
   */
  tier?: ClusterTier | undefined;
  /**
   * The path below the project that lists the cluster: `clusters` or `flexClusters`. Some services list Flex clusters
   * at a path of their own, with standard strings and without the major version. `both` simulates a Flex cluster that
   * was just upgraded to a dedicated one.
   *
   * @default "clusters"
   */
  listedAt?: Listing | undefined;
  /**
   * Full version, for example `7.0.12`, or `7.0.0-rc1` for a pre-release.
   *
   * @default "8.0.4"
   */
  version?: string | undefined;
  /** Overrides `version` and `majorVersion` in responses; null omits the field. Default: both agree with `version`. */
  reported?: ReportedVersions | undefined;
  /**
   * Cloud provider: `A` (AWS), `B` (Azure) or `C` (Google Cloud).
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
   * Regions of other providers, at most 20, with one more node each: `{ "provider": "B", "region": "eastus",
   * "readOnly": true }`. A dedicated cluster from before 3 November 2020 leaves providers B and C in two steps: add a
   * read-only node in the new provider, then change the provider.
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
   * Private endpoints, at most 100: `{ "endpointId": "vpce-0a1", "region": "us-east-1" }`. Optional: `index`, the
   * number in the host names; `provider`; `recordRegion` and `hostRegion`, the names of the region in responses and in
   * host names; `portMapped`, for SRV names with `psc`.
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
  /** Whether it has legacy strings. Default: true if created before 31 March 2020. */
  legacyConnectionStrings?: boolean | undefined;
  /** ID in the names of replica sets and shards. Default: generated. */
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
   * Index of the first electable node in the host names. It rises when the nodes are replaced.
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
   * `IDLE`, `CREATING`, `UPDATING`, `DELETING` or `REPAIRING`. It changes by itself only with `readyInSeconds`.
   *
   * @default "IDLE"
   */
  state?: ClusterState | undefined;
  /** Seconds until the cluster is IDLE and has all of its strings. Default: never. */
  readyInSeconds?: number | undefined;
  /** The same as a time, in milliseconds since 1970. The state file uses it. Default: after `readyInSeconds`. */
  readyAt?: number | undefined;
  /** Missing kinds of strings: `standard`, `private`, `privateEndpoint`. Default: all if CREATING, else none. */
  pendingStrings?: StringKind[] | undefined;
}

/** @internal */
export const nameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/,
    "must be 1 to 64 letters, digits and hyphens, with no hyphen at either end",
  );

const versionProblem = "must be of the form <major>.<minor>.<patch>, e.g. 7.0.12";

/** A full version in a request: `<major>.<minor>.<patch>` (service document 2.2). @internal */
export const versionSchema = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,3})(?:\.(?:0|[1-9]\d{0,3})){2}$/, versionProblem);

/** A full version in a seed, which may also be a pre-release such as `7.0.0-rc1`. */
const seedVersionSchema = z
  .string()
  .regex(
    /^(?:0|[1-9]\d{0,3})(?:\.(?:0|[1-9]\d{0,3})){2}(?:-[0-9A-Za-z][0-9A-Za-z.-]{0,31})?$/,
    versionProblem,
  );

const regionSchema = z
  .string()
  .regex(
    /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
    "must be a region in lower case letters, digits and hyphens, e.g. us-east-1",
  )
  // DNS allows 63 characters in a label: 23 of the cluster, 30 of the region, and the rest.
  .max(30);

/** @internal */
export const cloudProviders = ["A", "B", "C"] as const;

const providerSchema = z.enum(cloudProviders);

const additionalRegionSchema = z.strictObject({
  provider: providerSchema,
  region: regionSchema,
  readOnly: z.boolean().default(false),
});

/** The names of the providers in requests and responses. @internal */
export const providerNames = {
  default: { A: "A", B: "B", C: "C" },
  atlas: { A: "AWS", B: "AZURE", C: "GCP" },
} as const satisfies Record<Profile, Record<CloudProvider, string>>;

/** The schemas of the names of regions in requests. @internal */
export const regionNameSchemas = {
  default: regionSchema,
  atlas: z
    .string()
    .regex(/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/, "must be a region, e.g. US_EAST_1")
    .max(30),
} satisfies Record<Profile, z.ZodType>;

/** Returns the name of a region in responses. Atlas has other names in providers B and C, which a seed can set. @internal */
export function regionName(region: string, profile: Profile): string {
  return profile === "atlas" ? region.toUpperCase().replaceAll("-", "_") : region;
}

/** A private endpoint in a request. @internal */
export const privateEndpointSchema = z.strictObject({
  endpointId: z.string().regex(/^[\w./()-]{1,400}$/, "must be 1 to 400 letters, digits and ._/()-"),
  region: regionSchema,
});

const seedPrivateEndpointSchema = privateEndpointSchema.extend({
  recordRegion: z
    .string()
    .regex(/^[A-Za-z][\w-]{0,63}$/, "must be letters, digits, _ and -")
    .optional(),
  hostRegion: regionSchema.optional(),
  provider: providerSchema.optional(),
  portMapped: z.boolean().optional(),
  index: z.int().min(0).optional(),
});

const stateSchema = z.enum(["IDLE", "CREATING", "UPDATING", "DELETING", "REPAIRING"]);
const stringKindSchema = z.enum(["standard", "private", "privateEndpoint"]);

/** The schema of a cluster in the seed and the state file. @internal */
export const clusterSchema = z.strictObject({
  name: nameSchema,
  hostName: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,21}[a-z0-9])?$/, "must be 1 to 23 lower case characters")
    .optional(),
  id: idSchema.optional(),
  type: z.enum(["REPLICASET", "SHARDED", "GEOSHARDED"]).default("REPLICASET"),
  tier: z.enum(["DEDICATED", "FREE", "FLEX"]).default("DEDICATED"),
  listedAt: z.enum(["clusters", "flexClusters", "both"]).default("clusters"),
  version: seedVersionSchema.default("8.0.4"),
  reported: z
    .strictObject({
      version: z.string().nullable().optional(),
      majorVersion: z.string().nullable().optional(),
    })
    .optional(),
  provider: providerSchema.default("A"),
  regions: z.array(regionSchema).min(1).max(20).default(["us-east-1"]),
  additionalRegions: z.array(additionalRegionSchema).max(20).default([]),
  createdAt: dateSchema.optional(),
  peering: z.boolean().default(false),
  privateEndpoints: z.array(seedPrivateEndpointSchema).max(100).default([]),
  regionalizedPrivateEndpoints: z.boolean().default(false),
  legacyConnectionStrings: z.boolean().optional(),
  shardId: z
    .string()
    .regex(/^[a-z0-9]{6}$/, "must be six lower case letters and digits")
    .optional(),
  shards: z.int().min(1).max(50).default(2),
  nodes: z.int().min(1).max(150).optional(),
  firstNode: z.int().min(0).max(9000).default(0),
  diskSizeGB: z.int().min(1).max(16384).default(10),
  paused: z.boolean().default(false),
  state: stateSchema.default("IDLE"),
  readyInSeconds: secondsSchema.optional(),
  readyAt: z.number().optional(),
  pendingStrings: z.array(stringKindSchema).optional(),
});

/** @internal */
export type CompleteSeedCluster = z.output<typeof clusterSchema>;

/** The schema of a change: every field is optional and has no default. @internal */
export const clusterChangeSchema = z
  .strictObject(
    Object.fromEntries(
      Object.entries(clusterSchema.shape).map(([key, schema]) => [key, z.optional(bare(schema))]),
    ),
  )
  // The schema above has checked the fields; this one adds their types.
  .pipe(z.custom<Partial<SeedCluster>>());

/** Returns the schema of a field without its default. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
    ? schema.unwrap()
    : schema;
}

/**
 * Labels in the host names of Free and Flex clusters outside provider A (service document 2.6 rule 9). The document
 * does not say which label belongs to which provider.
 * @internal
 */
export const providerLabels: ReadonlyMap<CloudProvider, string> = new Map([
  ["B", "azure"],
  ["C", "gcp"],
]);

/** Returns whether a project label would be ambiguous because it is also the label of a provider. @internal */
export function isProviderLabel(label: string): boolean {
  return [...providerLabels.values()].includes(label);
}
