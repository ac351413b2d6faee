/**
 * The arguments, outputs and recorded state of PrivateIpMode as the provider process validates them. The types do not
 * compile unless they agree with the public interface in resource.ts: a new argument or output is added
 * to both.
 */
import type { Unwrap } from "@pulumi/pulumi/output";
import * as z from "../api/zod";
import type { Agreed, DifferentProperties } from "../providerProcess/sameProperties";
import { readState } from "../providerProcess/inputs";
import type { PropertyBag } from "../providerProcess/lifecycle";
import { projectIdSchema } from "../session/arguments";
import type { ComputedOutput, PrivateIpMode, PrivateIpModeArgs } from "./resource";

/** The schema of the arguments, with their defaults. */
export const args = z.strictObject({
  projectId: projectIdSchema,
  enabled: z.boolean("must be true or false"),
  onDelete: z._default(z.enum(["retain", "restore"], 'must be "retain" or "restore"'), "retain"),
});

/** The arguments with their defaults. */
export type Args = Agreed<
  z.output<typeof args>,
  DifferentProperties<z.input<typeof args>, Unwrap<PrivateIpModeArgs>>
>;

const computed = z.object({
  /** The mode when the resource was created; null or absent if the service does not expose it. */
  enabledAtAdoption: z.nullish(z.boolean()),
});

/** The schema of the inputs that `check` returns: the arguments and the computed outputs. */
export const checkedInputs = z.object({ ...args.shape, ...computed.shape });

/** The computed outputs of the public class. */
type PublicOutputs = {
  [Name in ComputedOutput]: Unwrap<PrivateIpMode[Name]>;
};

/** The inputs that `check` returns. */
export type CheckedInputs = Agreed<
  z.output<typeof checkedInputs>,
  DifferentProperties<PresentOutputs<z.output<typeof computed>>, PresentOutputs<PublicOutputs>>
>;

/** All outputs as required and with a value: the state and the class represent absence differently. */
type PresentOutputs<Outputs> = { [Name in keyof Outputs]-?: NonNullable<Outputs[Name]> };

/** The state as recorded by any released version. Empty for a resource without state. */
const recordedState = z.object({
  projectId: z.optional(z.string()),
  enabled: z.optional(z.boolean()),
  enabledAtAdoption: z.nullish(z.boolean()),
  onDelete: z._default(z.enum(["retain", "restore"]), "retain"),
  /** The Pulumi project and stack, `<project>/<stack>`. The program passes it; the plugin reads it from URNs. */
  managingStack: z.optional(z.string()),
} satisfies Record<keyof CheckedInputs | "managingStack", z.core.$ZodType>);

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
