/** Validates the inputs of a resource that the engine passes to `check`. */
import * as z from "../api/zod";
import { unknownArgument, unknownArguments } from "../session/argumentNames";
import { nearestName } from "../session/nearest";
import type { CheckFailure, PropertyBag } from "./lifecycle";
import { containsUnknown } from "./unknown";

/** The result of {@link readInputs}. */
export type ReadInputs<T> =
  /** All inputs are known and valid. */
  | { readonly kind: "known"; readonly args: T }
  /** Some inputs are not known yet in this preview; the others are valid. */
  | { readonly kind: "unknown" }
  /** At least one input is invalid. */
  | { readonly kind: "invalid"; readonly failures: CheckFailure[] };

/**
 * Validates the known inputs against their schema. Unknown inputs are validated once they are known.
 *
 * @param schema the arguments of the resource
 * @param inputs the inputs from the engine
 * @returns the arguments with their defaults, or a failure for each invalid one. Misspelled arguments
 *   are reported first, with a suggestion, because they often explain why another one is missing.
 */
export function readInputs<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodMiniObject<Shape, z.core.$strict>,
  inputs: PropertyBag,
): ReadInputs<z.output<typeof schema>> {
  const args = withoutProvider(inputs);
  const known = Object.entries(args).filter(([, value]) => !containsUnknown(value));
  const names = Object.keys(schema.shape);
  const context = { error: unknownArguments };
  if (known.length === Object.keys(args).length) {
    const parsed = schema.safeParse(args, context);
    return parsed.success ? { kind: "known", args: parsed.data } : invalid(parsed.error, names);
  }
  const parsed = z.partial(schema).safeParse(Object.fromEntries(known), context);
  return parsed.success ? { kind: "unknown" } : invalid(parsed.error, names);
}

function invalid({ issues }: z.core.$ZodError, names: readonly string[]) {
  const isUnknownName = ({ code }: z.core.$ZodIssue) => code === "unrecognized_keys";
  const ordered = [
    ...issues.filter(isUnknownName),
    ...issues.filter((issue) => !isUnknownName(issue)),
  ];
  return {
    kind: "invalid",
    failures: ordered.flatMap((issue) => failuresOf(issue, names)),
  } as const;
}

function failuresOf(issue: z.core.$ZodIssue, names: readonly string[]): CheckFailure[] {
  const [property = "", ...inner] = issue.path.map(String);
  if (issue.code !== "unrecognized_keys") {
    const where = inner.length === 0 ? "" : `${inner.join(".")}: `;
    return [{ property, reason: `${where}${issue.message}` }];
  }
  if (property !== "") return [{ property, reason: issue.message }];
  return issue.keys.map((key) => ({
    // The engine prints the value of this property. A name that is not close to any argument may be
    // that of a credential.
    property: nearestName(key, names) === undefined ? "" : key,
    reason: unknownArgument(key, names),
  }));
}

/**
 * Removes the provider text, which the provider process adds to the inputs.
 *
 * @param properties inputs or outputs of a resource
 * @returns all other properties
 */
export function withoutProvider({ __provider, ...properties }: PropertyBag): PropertyBag {
  return properties;
}
