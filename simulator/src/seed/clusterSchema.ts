/** The schema of a cluster in the seed and the state file. clusterFormat.ts describes the fields. */
import { z } from "zod";
import {
  additionalRegionSchema,
  clusterTypeSchema,
  dateSchema,
  diskSizeSchema,
  idSchema,
  nameSchema,
  privateEndpointSchema,
  providerSchema,
  regionSchema,
  seedVersionSchema,
  shardsSchema,
  stateSchema,
  stringKindSchema,
  tierSchema,
} from "./fields";

const transitionSchema = z.strictObject({
  at: z.number(),
  state: z.union([stateSchema, z.literal("GONE")]),
  pendingStrings: z.array(stringKindSchema),
});

/** The schema of a cluster. */
export const clusterSchema = z.strictObject({
  name: nameSchema,
  hostName: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,21}[a-z0-9])?$/, "must be 1 to 23 lower case characters")
    .optional(),
  id: idSchema.optional(),
  type: clusterTypeSchema.default("REPLICASET"),
  tier: tierSchema.default("DEDICATED"),
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
  privateEndpoints: z
    .array(
      privateEndpointSchema.extend({
        index: z.int().min(0).optional(),
      }),
    )
    .max(100)
    .default([]),
  regionalizedPrivateEndpoints: z.boolean().default(false),
  legacyConnectionStrings: z.boolean().optional(),
  shardId: z
    .string()
    .regex(/^[a-z0-9]{6}$/, "must be six lower case letters and digits")
    .optional(),
  shards: shardsSchema.default(2),
  nodes: z.int().min(1).max(150).optional(),
  firstNode: z.int().min(0).max(9000).default(0),
  diskSizeGB: diskSizeSchema.default(10),
  paused: z.boolean().default(false),
  state: stateSchema.default("IDLE"),
  readyInSeconds: z.number().min(0).optional(),
  pendingStrings: z.array(stringKindSchema).optional(),
  deleteAfterDate: dateSchema.optional(),
  transitions: z.array(transitionSchema).default([]),
});

/** A cluster with its defaults. */
export type CompleteSeedCluster = z.output<typeof clusterSchema>;
