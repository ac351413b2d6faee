/** Reads JSON and values of any type, and says in plain English instead of zod's words what is wrong with them. */
import type * as z from "zod/mini";
import { ProviderError } from "../messages/errors";
import { problemsOf } from "../messages/text";

/**
 * The parameter of `parse` and `safeParse` for our messages. A program may share zod, so zod's own are not replaced.
 */
export const zodMessages = { error: describeIssue };

/** Returns the value of a JSON text of any shape; undefined if it is not JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Reads JSON of a known shape. The error does not quote it, because it may contain secrets. */
export function parseJson<T>(text: string, schema: z.ZodMiniType<T>, name: string): T {
  const value = jsonOrUndefined(text);
  if (value === undefined) throw new ProviderError(`${name} is not JSON.`);
  const { success, data, error } = schema.safeParse(value, zodMessages);
  if (success) return data;
  throw new ProviderError(`${name} is invalid: ${problemsOf(error)}.`);
}

/** Returns whether a value is an object, and not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an object without null at any depth. Python passes None in a dictionary as null. */
export function withoutNulls(properties: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(properties).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isObject(value) ? withoutNulls(value) : value]),
  );
}

/** Returns what a value is, for a message: `text`, `a number`, `NaN`, `null`. */
export function kindOfValue(value: unknown): string {
  if (value === undefined || value === null) return value === null ? "null" : "missing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Returns the message of a schema for a value of another type, such as `must be a boolean, not text`. */
export function mustBe(description: string, accepted?: string) {
  return {
    error: ({ input }: z.core.$ZodRawIssue) => mustBeMessage(input, description, accepted),
  };
}

/**
 * Returns a message such as `must be a boolean, not text`. A value of the kind `accepted` has the right type, so its
 * kind is not named.
 */
function mustBeMessage(value: unknown, expected: string, accepted?: string): string {
  const kind = kindOfValue(value);
  if (kind === "missing") return `is missing; it must be ${expected}`;
  return `must be ${expected}${kind === accepted ? "" : `, not ${kind}`}`;
}

/** Returns the message for a problem for which the schema has none of its own. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== "invalid_type") return "is invalid";
  const expected = kinds.get(issue.expected) ?? "a valid value";
  return mustBeMessage(issue.input, expected, expected);
}

/** What a value must be, by zod's names of types. */
const kinds = new Map<string, string>([
  ["string", "text"],
  ["number", "a number"],
  ["boolean", "a boolean"],
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
]);
