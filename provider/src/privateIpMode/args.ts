/**
 * The types and schemas of the arguments and the recorded state of PrivateIpMode. Add a new argument to both the type
 * and the schema; the code compiles only if they agree (docs/internals/decisions.md#0018-types-and-schemas). Programs
 * import only the types.
 */
import * as z from "zod/mini";
import type { InputArgs } from "../program/sdk";
import { type SchemasOf, projectIdSchema } from "../validation/arguments";
import { mustBe } from "../validation/values";

/** The arguments as plain values. */
export interface ModeArgs {
  /**
   * The ID of the project.
   *
   * @replaces the resource if it changes
   * @example "64a0c0ffee0000000000a001"
   */
  readonly projectId: string;
  /**
   * Whether private IP mode (in Atlas, *Connect via Peering Only*) is on. It limits clusters to peered networks.
   *
   * @example false
   */
  readonly enabled: boolean;
}

/** The arguments of `PrivateIpMode`, which may be outputs of other resources. */
export type PrivateIpModeArgs = InputArgs<ModeArgs>;

/** The schema of the arguments. @internal */
export const argsSchema = z.strictObject({
  projectId: projectIdSchema,
  enabled: z.boolean(mustBe("a boolean")),
} satisfies SchemasOf<ModeArgs>);

/** The validated arguments. @internal */
export type ValidModeArgs = z.output<typeof argsSchema>;

/**
 * The schema of the recorded inputs and outputs. A resource without state has neither. The outputs lack `enabled` after
 * a change whose outcome is not known, if the service has no GET for the setting. @internal
 */
export const recordedState = z.object({
  projectId: z.optional(z.string()),
  enabled: z.optional(z.boolean()),
});

/** The recorded state. @internal */
export type RecordedMode = z.output<typeof recordedState>;

/** Returns the word for a mode in messages and previews. @internal */
export function onOrOff(enabled: boolean): "on" | "off" {
  return enabled ? "on" : "off";
}

/** The inputs that the class or `check` adds. Pulumi shows those that do not begin with `__`. */
export interface HiddenInputs {
  /**
   * The resource's name, a line break and a random ID, by which `check` rejects a second resource for a project
   * (docs/internals/decisions.md#0012-who-manages-a-mode).
   */
  readonly __resource: string;
  /**
   * The mode that `check` found, in words, with "outside this stack" if it differs from the recorded one. Shows in a
   * preview what the update changes.
   */
  readonly changesFrom?: string;
}

/** The value of `changesFrom` if the service does not say what the mode is. @internal */
export const notKnown = "not known";

const outside = ", outside this stack";

/**
 * Returns the value of `changesFrom` for a mode that differs from the recorded one.
 *
 * @param mode the mode in words
 * @param last the recorded value. The engine compares both, so drift that repeats must differ from it to be shown.
 * @internal
 */
export function changedOutside(mode: string, last: unknown): string {
  const value = `${mode}${outside}`;
  return value === last ? `${value} again` : value;
}

/** Returns whether `changesFrom` says that the mode differs from the recorded one. @internal */
export function isChangedOutside(changesFrom: unknown): boolean {
  return typeof changesFrom === "string" && changesFrom.includes(outside);
}

/** Returns the mode in `changesFrom`; undefined if it is not known, or if there is no such input. @internal */
export function modeIn(changesFrom: unknown): string | undefined {
  if (typeof changesFrom !== "string" || changesFrom === notKnown) return undefined;
  const end = changesFrom.indexOf(outside);
  return end === -1 ? changesFrom : changesFrom.slice(0, end);
}
