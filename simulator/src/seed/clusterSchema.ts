/** A cluster in the seed and the state file. */
import { z } from "zod";
import {
  clusterTypeSchema,
  dateSchema,
  diskSizeSchema,
  idSchema,
  nameSchema,
  privateEndpointSchema,
  providerSchema,
  regionSchema,
  shardsSchema,
  stateSchema,
  stringKindSchema,
  tierSchema,
  versionSchema,
} from "./fields";

/** A scheduled change of a cluster, due when the clock reaches `at` (milliseconds since 1970). */
const transitionSchema = z.strictObject({
  /** Milliseconds since 1970. */
  at: z.number(),
  /** The new state; `GONE` deletes the cluster. */
  state: z.union([stateSchema, z.literal("GONE")]),
  /** Kinds of connection string that are still missing afterwards. */
  pendingStrings: z.array(stringKindSchema),
});

/** A cluster in the seed or the state file. */
export const clusterSchema = z.strictObject({
  /** Unique in the project. */
  name: nameSchema,
  /** The cluster's part of its host names. Default: derived from the name. Set it to simulate a renamed cluster. */
  hostName: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,21}[a-z0-9])?$/, "must be 1 to 23 lower case characters")
    .optional(),
  /** Default: generated. */
  id: idSchema.optional(),
  /**
   * Type of the cluster.
   *
   * @default "REPLICASET"
   */
  type: clusterTypeSchema.default("REPLICASET"),
  /**
   * Tier. A legacy string of a Free or Flex cluster depends on its provider (service document 2.6
   * rule 9).
   *
   * @default "DEDICATED"
   */
  tier: tierSchema.default("DEDICATED"),
  /**
   * Full version, for example `7.0.12`, or `7.0.0-rc1` for a pre-release.
   *
   * @default "8.0.4"
   */
  version: versionSchema.default("8.0.4"),
  /** Overrides the version fields in API responses; null omits the field. */
  reported: z
    .strictObject({
      /** Full version; null omits the field. */
      version: z.string().nullable().optional(),
      /** Major version; null omits the field. */
      majorVersion: z.string().nullable().optional(),
    })
    .optional(),
  /**
   * Cloud provider.
   *
   * @default "A"
   */
  provider: providerSchema.default("A"),
  /**
   * Regions of the provider. More than one makes the cluster multi-region.
   *
   * @default ["us-east-1"]
   */
  regions: z.array(regionSchema).min(1).max(20).default(["us-east-1"]),
  /** Default: the time at which the cluster is added. */
  createdAt: dateSchema.optional(),
  /**
   * Whether network peering is configured.
   *
   * @default false
   */
  peering: z.boolean().default(false),
  /**
   * Private endpoints. `index` is part of the host names and unique in the project; by default, the
   * next free one.
   *
   * @default []
   */
  privateEndpoints: z
    .array(
      privateEndpointSchema.extend({
        /** `<i>` in the host names. Default: the next free one. */
        index: z.int().min(0).optional(),
      }),
    )
    .max(100)
    .default([]),
  /**
   * Whether regionalized private endpoints are enabled.
   *
   * @default false
   */
  regionalizedPrivateEndpoints: z.boolean().default(false),
  /** Default: true if the cluster was created before 31 March 2020 (service document 2.6). */
  legacyConnectionStrings: z.boolean().optional(),
  /** ID in the names of replica sets and shards (service document 2.6 rule 2). Default: generated. */
  shardId: z
    .string()
    .regex(/^[a-z0-9]{6}$/, "must be six lower case letters and digits")
    .optional(),
  /**
   * Number of shards; ignored for a replica set.
   *
   * @default 2
   */
  shards: shardsSchema.default(2),
  /**
   * Disk size in GB.
   *
   * @default 10
   */
  diskSizeGB: diskSizeSchema.default(10),
  /**
   * Whether the cluster is paused. The simulator only reports it in API responses.
   *
   * @default false
   */
  paused: z.boolean().default(false),
  /**
   * State of the cluster. It changes by itself only with `readyInSeconds` or `transitions`.
   *
   * @default "IDLE"
   */
  state: stateSchema.default("IDLE"),
  /** Seconds until a cluster in any other state becomes IDLE. Default: never. */
  readyInSeconds: z.number().min(0).optional(),
  /** Kinds of connection string that are still missing. Default: all if CREATING, else none. */
  pendingStrings: z.array(stringKindSchema).optional(),
  /** Time at which the service deletes the cluster. Default: never. */
  deleteAfterDate: dateSchema.optional(),
  /**
   * Scheduled changes. The state file uses them.
   *
   * @default []
   */
  transitions: z.array(transitionSchema).default([]),
});

/** A cluster in a seed. */
export type SeedCluster = z.input<typeof clusterSchema>;
/** A cluster with its defaults. */
export type CompleteSeedCluster = z.output<typeof clusterSchema>;
