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
  const incomplete = known.length < Object.keys(given).length;
  const parsed = (incomplete ? z.partial(schema) : schema).safeParse(Object.fromEntries(known));
  if (!parsed.success) return { kind: "wrong", failures: parsed.error.issues.map(failureOf) };
  return incomplete ? { kind: "unknown" } : { kind: "known", args: schema.parse(given) };
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
