/**
 * The arguments and outputs of PrivateIpMode: their types, which users see, and the schemas that validate
 * them and the recorded state. A new argument or output is added to a type and its schema, which do not
 * compile unless they agree. Programs import only the types.
 */
import * as z from "../messages/zod";
import type { InputArgs } from "../program/sdk";
import { type SchemasOf, mustBe, projectIdSchema } from "../messages/arguments";

/** The arguments as plain values. */
export interface ModeArgs {
  /**
   * The ID of the project. A change replaces the resource.
   *
   * @example "64a0c0ffee0000000000a001"
   */
  readonly projectId: string;
  /**
   * Whether the legacy peering-only ("private IP") mode is on (service document 2.3).
   *
   * @example false
   */
  readonly enabled: boolean;
  /**
   * What happens to the setting when the resource is deleted: `retain` leaves it as it is, `restore`
   * restores the value that it had when the resource was created.
   *
   * @default "retain"
   * @example "restore"
   */
  readonly onDelete?: OnDelete | undefined;
}

/** What happens to private IP mode when the resource is deleted. */
export type OnDelete =
  /** Leaves the setting as it is. */
  | "retain"
  /** Restores the value that it had when the resource was created. */
  | "restore";

/** The arguments of `PrivateIpMode`, which may be outputs of other resources. */
export type PrivateIpModeArgs = InputArgs<ModeArgs>;

/** The outputs of `PrivateIpMode` that are not arguments. */
export interface ModeOutputs {
  /**
   * The setting when the resource was created; undefined if the service does not expose it.
   *
   * @example true
   */
  readonly enabledAtAdoption?: boolean | undefined;
}

/** The schema of the arguments, with their defaults. @internal */
export const args = z.strictObject({
  projectId: projectIdSchema,
  enabled: z.boolean(mustBe("a boolean")),
  onDelete: z._default(
    z.enum(["retain", "restore"], mustBe('"retain" or "restore"', "text")),
    "retain",
  ),
} satisfies SchemasOf<ModeArgs>);

/** The arguments with their defaults. @internal */
export type Args = z.output<typeof args>;

/** The schemas of the outputs: null or absent if the service does not expose the mode. @internal */
export const outputs = {
  enabledAtAdoption: z.nullish(z.boolean()),
} satisfies SchemasOf<Record<keyof ModeOutputs, unknown>>;

/** The schema of the inputs that `check` returns: the arguments and the computed outputs. @internal */
export const checkedInputs = z.object({ ...args.shape, ...outputs });

/** The inputs that `check` returns. @internal */
export type CheckedInputs = z.output<typeof checkedInputs>;

/**
 * Inputs that are neither arguments nor outputs, and that no program passes itself. Pulumi does not show names that
 * begin with `__`.
 */
export interface HiddenInputs {
  /** Identifies the resource in its run, for `ModeManagers`. The program or the plugin passes it; `check` removes it. */
  readonly __resource: string;
  /** A warning about drift, which makes the preview of a dynamic provider show it. `check` adds it. */
  readonly changedOutside?: string;
}
