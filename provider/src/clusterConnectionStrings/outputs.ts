/**
 * The outputs of a lookup as the engine records them. Outputs that the cluster does not have are null:
 * if they were omitted, the engine would show them as unknown in every preview
 * (docs/decisions/0013-absent-outputs.md).
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "../api/zod";
import { withoutProvider } from "../providerProcess/inputs";
import type { PropertyBag } from "../providerProcess/lifecycle";
import { args } from "./args";
import type { FoundStrings } from "./lookup";

const optionalText = z.nullish(z.string());
const optionalRecord = z.nullish(z.record(z.string(), z.unknown()));

/** The state as recorded by any released version. A lookup that is still waiting has no outputs yet. */
export const recordedLookup = z.looseObject({
  ...z.partial(z.object(args.shape)).shape,
  recommended: z.optional(z.string()),
  recommendedKind: z.optional(z.string()),
  standard: optionalText,
  standardSrv: optionalText,
  private: optionalText,
  privateSrv: optionalText,
  legacy: optionalText,
  legacySrv: optionalText,
  databaseVersion: optionalText,
  privateEndpoints: z.optional(
    z.array(
      z.looseObject({
        index: z.nullish(z.number()),
        region: optionalText,
        regions: z.nullish(z.array(z.string())),
        endpointIds: z.array(z.string()),
        hosts: optionalText,
        srv: optionalText,
        optimizedSrv: optionalText,
        others: optionalRecord,
      }),
    ),
  ),
  others: optionalRecord,
});

/** The optional outputs. */
const absentOutputs = {
  standard: null,
  standardSrv: null,
  private: null,
  privateSrv: null,
  legacy: null,
  legacySrv: null,
  databaseVersion: null,
  others: null,
} satisfies Partial<Record<keyof FoundStrings, null>>;

/** Returns the result of a lookup, with null for every output that the cluster does not have. */
export function outputsOf(found: FoundStrings): PropertyBag {
  return { ...absentOutputs, ...found };
}

/** Returns whether two sets of properties are equal. Null equals a missing key. */
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
