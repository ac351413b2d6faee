/** Request bodies that create, update and replace clusters, and their conversion for the store. */
import { z } from "zod";
import { parseBody } from "../api/body";
import type { SeedCluster } from "../seed/clusterFormat";
import { clusterSchema } from "../seed/clusterSchema";
import {
  additionalRegionSchema,
  clusterTypeSchema,
  dateSchema,
  diskSizeSchema,
  nameSchema,
  privateEndpointSchema,
  providerSchema,
  regionSchema,
  shardsSchema,
  tierSchema,
  versionSchema,
} from "../seed/fields";
import { majorVersion } from "../store/cluster";
import { ServiceError } from "../store/serviceError";

/** Fields that only the service can set. */
const readOnlyFields = [
  "id",
  "groupId",
  "stateName",
  "createDate",
  "replicaSetNames",
  "connectionStrings",
  "links",
];

const majorVersionSchema = z
  .string()
  .regex(
    /^(?:0|[1-9]\d{0,3})\.(?:0|[1-9]\d{0,3})$/,
    "must be of the form <major>.<minor>, e.g. 7.0",
  );

const changeable = {
  clusterType: clusterTypeSchema.optional(),
  tier: tierSchema.optional(),
  paused: z.boolean().optional(),
  deleteAfterDate: dateSchema.optional(),
  diskSizeGB: diskSizeSchema.optional(),
  numShards: shardsSchema.optional(),
  providerSettings: z
    .strictObject({
      providerName: providerSchema.optional(),
      regionNames: z.array(regionSchema).min(1).max(20).optional(),
    })
    .optional(),
  additionalRegions: z.array(additionalRegionSchema).max(20).optional(),
  networkPeering: z.boolean().optional(),
  privateEndpoints: z.array(privateEndpointSchema).max(100).optional(),
  regionalizedPrivateEndpoints: z.boolean().optional(),
};

/** The fields of the seed that a body can set. */
const replaceableSchema = clusterSchema.pick({
  type: true,
  tier: true,
  version: true,
  provider: true,
  regions: true,
  additionalRegions: true,
  peering: true,
  privateEndpoints: true,
  regionalizedPrivateEndpoints: true,
  shards: true,
  diskSizeGB: true,
  paused: true,
  deleteAfterDate: true,
});

/** The version fields: their names depend on the setting `fieldPrefix`. */
const versionFields = (prefix: string) => ({
  [`${prefix}Version`]: versionSchema.optional(),
  [`${prefix}MajorVersion`]: majorVersionSchema.optional(),
});

/**
 * Returns the schema of the body that creates a cluster.
 *
 * @param prefix prefix of the version fields
 * @returns the schema
 */
export const creationSchema = (prefix: string) =>
  z.strictObject({ name: nameSchema, ...changeable, ...versionFields(prefix) });
/**
 * Returns the schema of the body that updates a cluster.
 *
 * @param prefix prefix of the version fields
 * @returns the schema
 */
export const changeSchema = (prefix: string) =>
  z.strictObject({ ...changeable, ...versionFields(prefix) });
/**
 * Returns the schema of the body that replaces a cluster.
 *
 * @param prefix prefix of the version fields
 * @returns the schema
 */
export const replacementSchema = (prefix: string) =>
  z.strictObject({ name: nameSchema.optional(), ...changeable, ...versionFields(prefix) });

/**
 * Validates the body that creates a cluster.
 *
 * @param value the parsed body
 * @param prefix prefix of the version fields
 * @returns the cluster for the store
 * @throws ServiceError 400 that names every invalid field
 */
export function parseCreation(value: unknown, prefix: string): SeedCluster {
  const body = parseBody(creationSchema(prefix), value, readOnlyFields);
  return { ...withoutUndefined(toSeed(body, versionOf(value, prefix))), name: body.name };
}

/**
 * Validates the body that updates a cluster.
 *
 * @param value the parsed body
 * @param prefix prefix of the version fields
 * @returns only the fields in the body
 * @throws ServiceError 400 that names every invalid field
 */
export function parseChange(value: unknown, prefix: string): Partial<SeedCluster> {
  const body = parseBody(changeSchema(prefix), value, [...readOnlyFields, "name"]);
  return withoutUndefined(toSeed(body, versionOf(value, prefix)));
}

/**
 * Validates the body that replaces a cluster.
 *
 * @param value the parsed body
 * @param prefix prefix of the version fields
 * @param name the current name of the cluster, which the body cannot change
 * @returns all fields; those missing in the body have their defaults
 * @throws ServiceError 400 that names every invalid field
 */
export function parseReplacement(
  value: unknown,
  prefix: string,
  name: string,
): Partial<SeedCluster> {
  const body = parseBody(replacementSchema(prefix), value, readOnlyFields);
  if (body.name !== undefined && body.name !== name) {
    throw new ServiceError(400, "INVALID_ATTRIBUTE", "Invalid body. name: cannot be changed", [
      "name",
    ]);
  }
  const fields = withoutUndefined(toSeed(body, versionOf(value, prefix)));
  return { deleteAfterDate: undefined, ...replaceableSchema.parse(fields) };
}

type Changeable = z.output<z.ZodObject<typeof changeable>>;

/** Converts a body to the format of the seed. */
function toSeed(body: Changeable, version: string | undefined) {
  const { providerSettings } = body;
  return {
    type: body.clusterType,
    tier: body.tier,
    version,
    provider: providerSettings?.providerName,
    regions: providerSettings?.regionNames,
    additionalRegions: body.additionalRegions,
    peering: body.networkPeering,
    privateEndpoints: body.privateEndpoints,
    regionalizedPrivateEndpoints: body.regionalizedPrivateEndpoints,
    shards: body.numShards,
    diskSizeGB: body.diskSizeGB,
    paused: body.paused,
    deleteAfterDate: body.deleteAfterDate,
  };
}

function withoutUndefined(fields: Partial<SeedCluster>): Partial<SeedCluster> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Returns the full version of a body: patch 0 if it has only the major version. */
function versionOf(value: unknown, prefix: string): string | undefined {
  const fields = z.record(z.string(), z.unknown()).parse(value);
  const version = versionSchema.optional().parse(fields[`${prefix}Version`]);
  const major = majorVersionSchema.optional().parse(fields[`${prefix}MajorVersion`]);
  if (version === undefined) return major === undefined ? undefined : `${major}.0`;
  if (major === undefined || majorVersion(version) === major) return version;
  const names = [`${prefix}MajorVersion`, `${prefix}Version`];
  throw new ServiceError(
    400,
    "INVALID_ATTRIBUTE",
    `Invalid body. ${names.join(" and ")} contradict each other`,
    names,
  );
}
