/** Reads the inputs of a resource as the engine hands them to `check`. */
import * as z from "../zod";
import type { CheckFailure, PropertyBag } from "./lifecycle";
import { containsUnknown } from "./unknown";

export type ReadInputs<T> =
  /** All inputs are known and right. */
  | { readonly kind: "known"; readonly args: T }
  /** Preview does not know some of them yet; the others are right. */
  | { readonly kind: "unknown" }
  | { readonly kind: "wrong"; readonly failures: CheckFailure[] };

/** Checks the inputs against their schema; what is not known yet is checked when it is. */
export function readInputs<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodMiniObject<Shape, z.core.$strict>,
  inputs: PropertyBag,
): ReadInputs<z.output<typeof schema>> {
  const given = withoutProvider(inputs);
  const known = Object.entries(given).filter(([, value]) => !containsUnknown(value));
  if (known.length === Object.keys(given).length) {
    const parsed = schema.safeParse(given);
    return parsed.success ? { kind: "known", args: parsed.data } : wrong(parsed.error);
  }
  const parsed = z.partial(schema).safeParse(Object.fromEntries(known));
  return parsed.success ? { kind: "unknown" } : wrong(parsed.error);
}

function wrong({ issues }: z.core.$ZodError) {
  return { kind: "wrong", failures: issues.map(failureOf) } as const;
}

function failureOf({ path, message }: z.core.$ZodIssue): CheckFailure {
  const [property, ...inner] = path.map(String);
  const where = inner.length === 0 ? "" : `${inner.join(".")}: `;
  return { property: property ?? "", reason: `${where}${message}` };
}

/** The properties without the provider text, which the provider process adds itself. */
export function withoutProvider({ __provider, ...properties }: PropertyBag): PropertyBag {
  return properties;
}
