/** Validates what the engine passes: inputs, which a preview may not know yet, and the recorded state. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { argumentProblem, escapeText, problemsOf } from "../messages/text";
import {
  outputInText,
  relevantIssues,
  unknownArgument,
  unknownArguments,
} from "../validation/arguments";
import { isObject, withoutNulls, zodMessages } from "../validation/values";
import { ProviderError } from "../messages/errors";
import { nearestName } from "../messages/recommendations";
import type { CheckFailure, PropertyBag } from "./lifecycle";

/** What the inputs of a resource are, according to their schema. */
export type ReadInputs<T> =
  | { readonly kind: "known"; readonly args: T }
  /** Some inputs are not known yet in this preview. The others are valid. */
  | { readonly kind: "unknown" }
  | { readonly kind: "invalid"; readonly failures: CheckFailure[] };

/** Validates the names of all inputs, and the values of the known ones. */
export function readInputs<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodMiniObject<Shape, z.core.$strict>,
  inputs: PropertyBag,
): ReadInputs<z.output<typeof schema>> {
  const args = withoutProvider(inputs);
  const problem = outputInText(args);
  if (problem !== undefined) {
    // Without a property, because the engine would print its value.
    return { kind: "invalid", failures: [{ property: "", reason: problem, code: "argument" }] };
  }
  const names = Object.keys(schema.shape);
  const context = { error: unknownArguments };
  const invalid = ({ issues }: z.core.$ZodError) => {
    const relevant = relevantIssues(issues, names, args);
    return {
      kind: "invalid",
      failures: relevant.flatMap((issue) => failuresOf(issue, names)),
    } as const;
  };
  if (!containsUnknown(args)) {
    const parsed = schema.safeParse(args, context);
    return parsed.success ? { kind: "known", args: parsed.data } : invalid(parsed.error);
  }
  const checked = Object.entries(args).filter(
    ([name, value]) => !names.includes(name) || !containsUnknown(value),
  );
  const parsed = z.partial(schema).safeParse(Object.fromEntries(checked), context);
  return parsed.success ? { kind: "unknown" } : invalid(parsed.error);
}

function failuresOf(issue: z.core.$ZodIssue, names: readonly string[]): CheckFailure[] {
  const code = "argument";
  const [property = ""] = issue.path.map(String);
  if (issue.code !== "unrecognized_keys") {
    const reason = argumentProblem(issue.path.join("."), issue.message);
    return [{ property, reason, code }];
  }
  if (property !== "") return [{ property, reason: issue.message, code }];
  return issue.keys.map((key) => ({
    // The engine prints the value of this property, which may be a credential unless the name is close to an argument.
    property: nearestName(key, names) === undefined ? "" : key,
    reason: unknownArgument(key, names),
    code,
  }));
}

/** Removes the provider text, which the provider process adds to the inputs. */
export function withoutProvider({ __provider, ...properties }: PropertyBag): PropertyBag {
  return properties;
}

/** Removes what neither a program nor Pulumi's output shows, such as the provider text. Versions may differ in it. */
export function withoutHidden(properties: PropertyBag): PropertyBag {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !name.startsWith("__")));
}

/**
 * Removes outputs from the inputs of a program. The engine copies them from the recorded inputs because of
 * `ignoreChanges`, and these contain outputs because `check` returned them
 * (docs/internals/decisions.md#0002-lookups-in-check).
 */
export function dropCopiedOutputs(
  { shape }: { readonly shape: object },
  olds: PropertyBag,
  news: PropertyBag,
): PropertyBag {
  const isInput = (name: string) =>
    Object.hasOwn(shape, name) || name === "__provider" || !Object.hasOwn(olds, name);
  return Object.fromEntries(
    Object.entries(news).filter(
      ([name, value]) => isInput(name) || !isDeepStrictEqual(value, olds[name]),
    ),
  );
}

/** The key that marks an object with a special meaning for the engine. */
const signatureKey = "4dabf18193072939515e22adb298388d";
/** Its value that marks a secret. */
export const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** Marks a value as a secret, so that the engine encrypts it in the state and hides it in its output. */
export function secret(value: unknown): PropertyBag {
  return { [signatureKey]: secretSignature, value };
}

/** Returns whether a value is marked as a secret, as by {@link secret}. */
export function isSecret(value: unknown): value is { readonly value: unknown } {
  return isObject(value) && value[signatureKey] === secretSignature;
}

/** The engine's markers for unknown values, which are a general one and one for each type of value. */
const unknownMarkers: ReadonlySet<unknown> = new Set([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Returns whether a value is one of the markers for unknown values. */
export function isUnknown(value: unknown): boolean {
  return unknownMarkers.has(value);
}

/** Returns whether a value, or any part of it, is not known yet. An absent value is known. */
export function containsUnknown(value: unknown): boolean {
  if (isUnknown(value)) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(containsUnknown);
}

/**
 * Reads the arguments among the inputs that `check` returned. Throws a ProviderError, because a policy can change them
 * after it. Null counts as omitted.
 */
export function readCheckedArgs<T>(schema: z.ZodMiniType<T>, inputs: PropertyBag): T {
  const { success, data, error } = schema.safeParse(withoutNulls(inputs), zodMessages);
  if (success) return data;
  throw invalidByPolicy(problemsOf(error));
}

/** Returns the error for arguments that are invalid although `check` accepted others. */
export function invalidByPolicy(problems: string): ProviderError {
  const message = `a policy changed the arguments, which are now invalid: ${problems}`;
  return new ProviderError(message, { code: "argument" });
}

/** Validates recorded properties. Throws a ProviderError that names every property with the wrong type. */
export function readState<T>(
  schema: z.ZodMiniType<T>,
  properties: PropertyBag,
  resource: string,
): T {
  const parsed = schema.safeParse(properties, zodMessages);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
  throw new ProviderError(
    `the recorded state of ${resource} is damaged: ${escapeText(problems.join("; "))}. Remove the resource from the state; the next update recreates it from the service:\n  pulumi state delete <URN>`,
    { code: "damaged-state" },
  );
}
