/** The state that a PrivateIpMode records. */
import * as z from "../api/zod";
import type { PropertyBag } from "../providerProcess/lifecycle";
import { readState } from "../providerProcess/state";
import type { CheckedInputs } from "./args";

/** The state as recorded by any released version. Empty for a resource without state. */
const recordedState = z.object({
  projectId: z.optional(z.string()),
  enabled: z.optional(z.boolean()),
  enabledAtAdoption: z.nullish(z.boolean()),
  onDelete: z._default(z.enum(["retain", "restore"]), "retain"),
} satisfies Record<keyof CheckedInputs, z.core.$ZodType>);

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

/**
 * Returns the recorded state if it belongs to a project.
 *
 * @param projectId the ID of the project
 * @param olds the recorded outputs or inputs from the engine
 * @returns the state; undefined if there is none, or if it belongs to another project
 * @throws ProviderError if a property has the wrong type
 */
export function recordedOf(projectId: string, olds: PropertyBag): RecordedMode | undefined {
  const state = readRecorded(olds);
  return state.projectId === projectId ? state : undefined;
}
