/** The state that a lookup records. */
import { isDeepStrictEqual } from "node:util";
import type { PrivateEndpointStrings } from "clouddb-connection-strings";
import * as z from "../api/zod";
import { readState, withoutProvider } from "../providerProcess/inputs";
import type { PropertyBag } from "../providerProcess/lifecycle";
import { argsSchema } from "./argsSchema";
import type { GetConnectionStringsResult } from "./outputs";

/** A schema for each property. Released versions may have recorded null, or nothing. */
type SchemasOf<Properties> = { readonly [Name in keyof Required<Properties>]: z.ZodMiniType };

const optionalText = z.nullish(z.string());
const optionalRecord = z.nullish(z.record(z.string(), z.unknown()));

const privateEndpoint = z.looseObject({
  index: z.nullish(z.number()),
  region: optionalText,
  regions: z.nullish(z.array(z.string())),
  endpointIds: z.array(z.string()),
  hosts: optionalText,
  srv: optionalText,
  optimizedSrv: optionalText,
  others: optionalRecord,
} satisfies SchemasOf<PrivateEndpointStrings>);

const recordedArgs = z.partial(z.object(argsSchema.shape)).shape;

/** The state as recorded by any released version. A lookup that is still waiting has no outputs yet. */
const recordedLookup = z.looseObject({
  ...recordedArgs,
  projectId: recordedArgs.projectId,
  clusterName: recordedArgs.clusterName,
  recommended: z.optional(z.string()),
  recommendedKind: z.optional(z.string()),
  standard: optionalText,
  standardSrv: optionalText,
  private: optionalText,
  privateSrv: optionalText,
  legacy: optionalText,
  legacySrv: optionalText,
  privateEndpoints: z.optional(z.array(privateEndpoint)),
  databaseVersion: optionalText,
  others: optionalRecord,
} satisfies SchemasOf<GetConnectionStringsResult>);

/**
 * Validates recorded properties.
 *
 * @param properties the properties from the engine
 * @returns the properties, including those that only later versions record
 * @throws ProviderError if the state is damaged
 */
export function readRecorded(properties: PropertyBag): z.output<typeof recordedLookup> {
  return readState(recordedLookup, properties, "this ClusterConnectionStrings resource");
}

/**
 * Returns whether two sets of properties are equal. Null equals a missing key.
 *
 * @param one the properties
 * @param other the properties to compare with
 * @returns false if any value differs, at any depth
 */
export function isSameLookup(one: PropertyBag, other: PropertyBag): boolean {
  return isDeepStrictEqual(present(one), present(other));
}

function present(properties: PropertyBag): PropertyBag {
  return Object.fromEntries(
    Object.entries(withoutProvider(properties)).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  );
}
