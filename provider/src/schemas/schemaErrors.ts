/** What is wrong with a value that a schema does not accept, in plain English instead of zod's words. */
import { ProviderError } from "../messages/errors";
import { problemsOf } from "../messages/text";
import type * as z from "./zod";

/**
 * Pass it to `safeParse` and `parse`. It is not configured for all schemas, because programs that use zod share its
 * configuration.
 */
export const zodMessages = { error: describeIssue };

/** Returns what a value is, for a message: `text`, `a number`, `null`. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return value === null ? "null" : "missing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * Returns a message such as `must be a boolean, not text`. Values of the kind `accepted` have the right type, so the
 * message does not name their kind.
 */
export function mustBeMessage(value: unknown, expected: string, accepted?: string): string {
  const found = kindOf(value);
  if (found === "missing") return `is missing; it must be ${expected}`;
  return `must be ${expected}${found === accepted ? "" : `, not ${found}`}`;
}

/** Describes a problem for which the schema has no message of its own. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== "invalid_type") return "is invalid";
  const expected = kinds.get(issue.expected) ?? "a valid value";
  return mustBeMessage(issue.input, expected, expected);
}

const kinds = new Map<string, string>([
  ["string", "text"],
  ["number", "a number"],
  ["boolean", "a boolean"],
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
]);

/** Reads JSON of a known shape. The error does not quote it, because it may contain secrets. */
export function parseJson<T>(text: string, schema: z.ZodMiniType<T>, name: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProviderError(`${name} is not JSON.`);
  }
  const { success, data, error } = schema.safeParse(value, zodMessages);
  if (success) return data;
  throw new ProviderError(`${name} is invalid: ${problemsOf(error)}.`);
}
