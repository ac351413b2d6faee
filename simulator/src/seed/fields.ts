/** Schemas of the fields that the seed shares with request and response bodies. */
import { z } from "zod";
import { toUtc } from "./dates";

/** Name of a cluster: 1 to 64 letters, digits and hyphens. */
export const nameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/,
    "must be 1 to 64 letters, digits and hyphens, with no hyphen at either end",
  );

/** ID of a project, cluster or organization: 24 hexadecimal digits. */
export const idSchema = z.string().regex(/^[0-9a-f]{24}$/, "must be 24 hexadecimal digits");

/**
 * A date in ISO 8601; UTC unless it has a time zone (service document 2.5). The output is in UTC,
 * without milliseconds if they are zero.
 */
export const dateSchema = z
  .string()
  .refine(
    (text) => toUtc(text) !== undefined,
    "must be an ISO 8601 date, e.g. 2024-05-01T00:00:00Z",
  )
  .transform((text) => toUtc(text) ?? text);

const versionProblem = "must be of the form <major>.<minor>.<patch>, e.g. 7.0.12";

/** A full version in a request: `<major>.<minor>.<patch>` (service document 2.2). */
export const versionSchema = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,3})(?:\.(?:0|[1-9]\d{0,3})){2}$/, versionProblem);

/** A full version in a seed, which may also be a pre-release such as `7.0.0-rc1`. */
export const seedVersionSchema = z
  .string()
  .regex(
    /^(?:0|[1-9]\d{0,3})(?:\.(?:0|[1-9]\d{0,3})){2}(?:-[0-9A-Za-z][0-9A-Za-z.-]{0,31})?$/,
    versionProblem,
  );

/** A region of a cloud provider, for example `us-east-1`. */
export const regionSchema = z
  .string()
  .regex(
    /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
    "must be a region in lower case letters, digits and hyphens, e.g. us-east-1",
  )
  // DNS allows 63 characters in a label: 23 of the cluster, 30 of the region, and the rest.
  .max(30);

/** Type of a cluster. */
export const clusterTypeSchema = z.enum(["REPLICASET", "SHARDED", "GEOSHARDED"]);
/** Tier of a cluster. */
export const tierSchema = z.enum(["DEDICATED", "FREE", "FLEX"]);
/** Cloud provider of a cluster. */
export const providerSchema = z.enum(["A", "B", "C"]);
/**
 * Labels in the legacy strings of Free and Flex clusters outside provider A (service document 2.6 rule
 * 9). The document does not say which label belongs to which provider.
 */
export const providerLabels: ReadonlyMap<z.output<typeof providerSchema>, string> = new Map([
  ["B", "azure"],
  ["C", "gcp"],
]);
/**
 * Returns whether a project label would be ambiguous because it is also the label of a provider.
 *
 * @param label the label of the project
 * @returns true if a provider has this label
 */
export function isProviderLabel(label: string): boolean {
  return [...providerLabels.values()].includes(label);
}
/** Disk size in GB. */
export const diskSizeSchema = z.int().min(1).max(16384);
/** Number of shards of a sharded cluster. */
export const shardsSchema = z.int().min(1).max(50);

/** A region of another provider, in which a cluster has one more node. */
export const additionalRegionSchema = z.strictObject({
  /** Cloud provider of the region. */
  provider: providerSchema,
  /** The region, for example `eastus`. */
  region: regionSchema,
  /** Whether the node cannot become the primary. */
  readOnly: z.boolean().default(false),
});

/** A private endpoint of a cluster. */
export const privateEndpointSchema = z.strictObject({
  /** ID of the endpoint at the cloud provider. */
  endpointId: z.string().regex(/^[\w./-]{1,128}$/, "must be 1 to 128 letters, digits and ._/-"),
  /** Region of the endpoint, for example `us-east-1`. */
  region: regionSchema,
});

/** State of a cluster. */
export const stateSchema = z.enum(["IDLE", "CREATING", "UPDATING", "DELETING", "REPAIRING"]);
/** Kind of connection string that can be pending. */
export const stringKindSchema = z.enum(["standard", "private", "privateEndpoint"]);

/** Role of a credential. */
export const roleSchema = z.enum(["owner", "readOnly"]);
