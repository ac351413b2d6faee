/** What is wrong with a value that a schema does not accept, in plain English instead of zod's words. */
import type { core } from "./zod";

/**
 * Pass it to `safeParse` and `parse`. It is not configured for all schemas, because programs that use zod share its
 * configuration.
 */
export const plainWords = { error: describeIssue };

/** Returns what a value is, for a message: `text`, `a number`, `null`. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return value === null ? "null" : "missing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Returns a message such as `must be a boolean, not text`. Schemas with their own messages do not ask for it. */
export function describeIssue(issue: core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type": {
      const expected = kinds.get(issue.expected) ?? "a valid value";
      const found = kindOf(issue.input);
      if (found === "missing") return `is missing; it must be ${expected}`;
      return `must be ${expected}${found === expected ? "" : `, not ${found}`}`;
    }
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_small":
      return issue.origin === "string" || issue.origin === "array" ? "is too short" : "is too low";
    case "too_big":
      return issue.origin === "string" || issue.origin === "array" ? "is too long" : "is too high";
    case "unrecognized_keys":
      return `has unknown names: ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
    default:
      return "is invalid";
  }
}

/** The kinds of values by zod's names. */
const kinds = new Map<string, string>([
  ["string", "text"],
  ["number", "a number"],
  ["boolean", "a boolean"],
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
  ["null", "null"],
]);
