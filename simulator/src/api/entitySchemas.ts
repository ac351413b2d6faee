/** Schemas of response bodies, for the OpenAPI document. */
import { z } from "zod";
import {
  clusterTypeSchema,
  idSchema,
  privateEndpointSchema,
  providerSchema,
  stateSchema,
} from "../seed";
import type { EntityName } from "./operation";

const date = z.string().meta({ format: "date-time" });
const uri = z.string().meta({ format: "uri" });
const links = z.array(z.strictObject({ rel: z.string(), href: uri })).min(1);
const text = z.string();

const privateEndpointStrings = z.strictObject({
  connectionString: text,
  srvConnectionString: text,
  srvShardOptimizedConnectionString: text.optional(),
  type: z.enum(["NODE", "ROUTER"]),
  endpoints: z.array(
    z.strictObject({ endpointId: text, providerName: providerSchema, region: text }),
  ),
});

const connectionStrings = z.strictObject({
  standard: text.optional(),
  standardSrv: text.optional(),
  private: text.optional(),
  privateSrv: text.optional(),
  legacy: text.optional(),
  legacySrv: text.optional(),
  privateEndpoint: z.array(privateEndpointStrings).optional(),
});

/**
 * Returns the schemas of all entities.
 *
 * @param fieldPrefix prefix of the version fields
 * @returns the schemas by name
 */
export function entitySchemas(fieldPrefix: string): Record<EntityName, z.ZodType> {
  return {
    Root: z.strictObject({ appName: text, links }),
    Project: z.strictObject({
      id: idSchema,
      name: text,
      orgId: idSchema,
      created: date,
      clusterCount: z.int().min(0),
      links,
    }),
    Cluster: z.strictObject({
      id: idSchema,
      groupId: idSchema,
      name: text,
      clusterType: clusterTypeSchema,
      stateName: stateSchema,
      paused: z.boolean(),
      [`${fieldPrefix}MajorVersion`]: text.optional(),
      [`${fieldPrefix}Version`]: text.optional(),
      createDate: date,
      deleteAfterDate: date.optional(),
      diskSizeGB: z.int(),
      numShards: z.int(),
      replicaSetNames: z.array(text),
      providerSettings: z.strictObject({
        providerName: providerSchema,
        regionNames: z.array(text),
      }),
      networkPeering: z.boolean(),
      privateEndpoints: z.array(privateEndpointSchema),
      regionalizedPrivateEndpoints: z.boolean(),
      connectionStrings,
      links,
    }),
    PrivateIpMode: z.strictObject({ enabled: z.boolean(), links }),
  };
}

/** Error body (service document 7.2). */
export const errorSchema = z.strictObject({
  detail: text,
  error: z.int(),
  errorCode: text,
  parameters: z.array(z.union([z.string(), z.number()])),
  reason: text,
});

/** Response of the token endpoint. */
export const tokenSchema = z.strictObject({
  access_token: text,
  expires_in: z.int(),
  token_type: z.literal("Bearer"),
});
