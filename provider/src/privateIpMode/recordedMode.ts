/** The state that a PrivateIpMode records. */
import * as z from "../api/zod";
import type { PropertyBag } from "../providerProcess/lifecycle";
import { readState } from "../providerProcess/state";
import { containsUnknown } from "../providerProcess/unknown";

/** The state as recorded by any released version. Empty for a resource without state. */
const recordedState = z.object({
  projectId: z.optional(z.string()),
  enabled: z.optional(z.boolean()),
  enabledAtAdoption: z.nullish(z.boolean()),
  onDelete: z._default(z.enum(["retain", "restore"]), "retain"),
});

/** The recorded state of a PrivateIpMode. */
export type RecordedMode = z.output<typeof recordedState>;

/**
 * Validates recorded properties.
 *
 * @throws ProviderError if the state is damaged
 */
export function readRecorded(properties: PropertyBag): RecordedMode {
  return readState(recordedState, properties, "this PrivateIpMode");
}

/** Returns the recorded state if it is for this project. */
export function recordedOf(projectId: string, olds: PropertyBag): RecordedMode | undefined {
  const state = readRecorded(olds);
  return state.projectId === projectId ? state : undefined;
}

/** Returns the inputs of a diff. An input that is still unknown is undefined, so it counts as changed. */
export function knownInputs(news: PropertyBag): Partial<RecordedMode> {
  const given = Object.entries(news);
  const known = given.filter(([, value]) => !containsUnknown(value));
  const unknown = given.flatMap(([key, value]) =>
    containsUnknown(value) ? [[key, undefined] as const] : [],
  );
  return { ...recordedState.parse(Object.fromEntries(known)), ...Object.fromEntries(unknown) };
}
