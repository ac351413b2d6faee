/** Reads the recorded state of a PrivateIpMode, which any released version may have written. */
import { readState } from "../engine/inputs";
import type { PropertyBag } from "../engine/lifecycle";
import type { SchemasOf } from "../messages/arguments";
import * as z from "../messages/zod";
import { type CheckedInputs, outputs } from "./args";

/** The state as recorded by any released version. Empty for a resource without state. */
const recordedState = z.object({
  projectId: z.optional(z.string()),
  enabled: z.optional(z.boolean()),
  onDelete: z._default(z.enum(["retain", "restore"]), "retain"),
  ...outputs,
  /**
   * The value that the stack last set. Unlike `enabled`, a refresh does not change it. Absent in states of earlier
   * versions until the next update. A hidden output.
   */
  __setByStack: z.optional(z.boolean()),
} satisfies SchemasOf<Record<keyof CheckedInputs | "__setByStack", unknown>>);

/** The recorded state of a PrivateIpMode. A resource without state has only the defaults. */
export type RecordedMode = z.output<typeof recordedState>;

/**
 * Validates recorded properties.
 *
 * @param properties the recorded outputs or inputs from the engine
 * @returns the state, with defaults for what an earlier version did not record
 * @throws ProviderError if a property has the wrong type
 */
export function readRecorded(properties: PropertyBag): RecordedMode {
  return readState(recordedState, properties, "this PrivateIpMode resource");
}
