/** Reads the recorded state of a lookup, which any released version may have written. */
import { readState } from "../engine/inputs";
import type { PropertyBag } from "../engine/lifecycle";
import * as z from "../messages/zod";
import { argsSchema, outputSchemas } from "./args";

/** The state as recorded by any released version. A lookup that is still waiting has no outputs yet. */
const recordedLookup = z.looseObject(
  z.partial(
    // An early version accepted fractions.
    z.object({ ...argsSchema.shape, ...outputSchemas, waitSeconds: z._default(z.number(), 0) }),
  ).shape,
);

/** Validates recorded properties. Throws a ProviderError if the state is damaged. */
export function readRecorded(properties: PropertyBag): z.output<typeof recordedLookup> {
  return readState(recordedLookup, properties, "this ClusterConnectionStrings resource");
}
