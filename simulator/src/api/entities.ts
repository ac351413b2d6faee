/** Schemas of response bodies: the types of the documents, and the schemas in the OpenAPI document. */
import { z } from "zod";
import { connectionStringsSchema } from "../connectionStrings/stringsSchema";
import {
  additionalRegionSchema,
  clusterTypeSchema,
  idSchema,
  privateEndpointSchema,
  providerSchema,
  stateSchema,
  tierSchema,
} from "../seed/fields";
import { privateIpModeSchema } from "../seed/projectSchema";

const date = z.string().meta({ format: "date-time" });
const uri = z.string().meta({ format: "uri" });
const text = z.string();

const linkSchema = z.strictObject({
  /** Name of the relation. */
  rel: text,
  /** Target URL. */
  href: uri,
});
const links = z.array(linkSchema).min(1);

const rootSchema = z.strictObject({ appName: text, links });

const projectSchema = z.strictObject({
  id: idSchema,
  name: text,
  orgId: idSchema,
  created: date,
  clusterCount: z.int().min(0),
  links,
});

/** The cluster without its version fields, whose names depend on the setting `fieldPrefix`. */
const clusterSchema = z.strictObject({
  id: idSchema,
  groupId: idSchema,
  name: text,
  clusterType: clusterTypeSchema,
  tier: tierSchema,
  stateName: stateSchema,
  paused: z.boolean(),
  createDate: date,
  deleteAfterDate: date.optional(),
  diskSizeGB: z.int(),
  numShards: z.int(),
  replicaSetNames: z.array(text),
  providerSettings: z.strictObject({
    providerName: providerSchema,
    regionNames: z.array(text),
  }),
  additionalRegions: z.array(additionalRegionSchema),
  networkPeering: z.boolean(),
  privateEndpoints: z.array(privateEndpointSchema),
  regionalizedPrivateEndpoints: z.boolean(),
  connectionStrings: connectionStringsSchema,
  links,
});

const modeSchema = privateIpModeSchema.extend({ links });

/** A link to another resource. */
export type Link = z.output<typeof linkSchema>;
/** The root. */
export type RootEntity = z.output<typeof rootSchema>;
/** A project. */
export type ProjectEntity = z.output<typeof projectSchema>;
/** Private IP mode of a project. */
export type PrivateIpModeEntity = z.output<typeof modeSchema>;

/**
 * Returns the schemas of all entities.
 *
 * @param fieldPrefix prefix of the version fields
 * @returns the schemas by name
 */
export function entitySchemas(fieldPrefix: string) {
  return {
    Root: rootSchema,
    Project: projectSchema,
    Cluster: clusterSchema.extend({
      [`${fieldPrefix}MajorVersion`]: text.optional(),
      [`${fieldPrefix}Version`]: text.optional(),
    }),
    PrivateIpMode: modeSchema,
  };
}

/** Name of an entity in the OpenAPI document. */
export type EntityName = keyof ReturnType<typeof entitySchemas>;

/** Error body (service document 7.2). */
export const errorSchema = z.strictObject({
  detail: text,
  error: z.int(),
  errorCode: text,
  parameters: z.array(z.union([z.string(), z.number()])),
  reason: text,
});
/** An error body. */
export type ErrorEntity = z.output<typeof errorSchema>;

/** Response of the token endpoint. */
export const tokenSchema = z.strictObject({
  access_token: text,
  expires_in: z.int(),
  token_type: z.literal("Bearer"),
});
/** A response of the token endpoint. */
export type TokenEntity = z.output<typeof tokenSchema>;
