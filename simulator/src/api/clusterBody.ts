// The bodies that create, change and replace a cluster, and what they mean for the store.
import { z } from "zod";
import { ServiceError } from "../errors";
import {
  clusterTypeSchema,
  dateSchema,
  diskSizeSchema,
  nameSchema,
  privateEndpointSchema,
  providerSchema,
  regionSchema,
  type SeedCluster,
  shardsSchema,
  versionSchema,
} from "../seed";
import { majorVersion } from "../world/cluster";
import { parseBody } from "./body";

/** Fields of a cluster that only the service sets. */
const READ_ONLY = [
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
  networkPeering: z.boolean().optional(),
  privateEndpoints: z.array(privateEndpointSchema).max(100).optional(),
  regionalizedPrivateEndpoints: z.boolean().optional(),
};

/** The two version fields have names that depend on a setting, so they stand apart. */
const versions = (prefix: string) => ({
  [`${prefix}Version`]: versionSchema.optional(),
  [`${prefix}MajorVersion`]: majorVersionSchema.optional(),
});

export const creationSchema = (prefix: string) =>
  z.strictObject({ name: nameSchema, ...changeable, ...versions(prefix) });
export const changeSchema = (prefix: string) =>
  z.strictObject({ ...changeable, ...versions(prefix) });
export const replacementSchema = (prefix: string) =>
  z.strictObject({ name: nameSchema.optional(), ...changeable, ...versions(prefix) });

export function parseCreation(value: unknown, prefix: string): SeedCluster {
  const body = parseBody(creationSchema(prefix), value, READ_ONLY);
  return { ...onlyGiven(toSeed(body, versionIn(value, prefix))), name: body.name };
}

/** The fields that are given, alone. */
export function parseChange(value: unknown, prefix: string): Partial<SeedCluster> {
  const body = parseBody(changeSchema(prefix), value, [...READ_ONLY, "name"]);
  return onlyGiven(toSeed(body, versionIn(value, prefix)));
}

/** Every field: those that are not given are undefined, and so get their defaults. */
export function parseReplacement(
  value: unknown,
  prefix: string,
  name: string,
): Partial<SeedCluster> {
  const body = parseBody(replacementSchema(prefix), value, READ_ONLY);
  if (body.name !== undefined && body.name !== name) {
    throw new ServiceError(400, "INVALID_ATTRIBUTE", "Invalid body. name: cannot be changed", [
      "name",
    ]);
  }
  return toSeed(body, versionIn(value, prefix));
}

type Changeable = z.output<z.ZodObject<typeof changeable>>;

function toSeed(body: Changeable, version: string | undefined) {
  const { providerSettings } = body;
  return {
    type: body.clusterType,
    version,
    provider: providerSettings?.providerName,
    regions: providerSettings?.regionNames,
    peering: body.networkPeering,
    privateEndpoints: body.privateEndpoints,
    regionalizedPrivateEndpoints: body.regionalizedPrivateEndpoints,
    shards: body.numShards,
    diskSizeGB: body.diskSizeGB,
    paused: body.paused,
    deleteAfterDate: body.deleteAfterDate,
  };
}

function onlyGiven(fields: Partial<SeedCluster>): Partial<SeedCluster> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The full version; the first patch where only the major version is given. */
function versionIn(value: unknown, prefix: string): string | undefined {
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
