/** Validates values, and reports every problem with its path. */
import type { z } from "zod";
import { escapeText } from "../escapeText";
import { SeedError } from "./seedError";

/**
 * Validates a value. Error messages contain paths and reasons, never the value: it may be a secret.
 *
 * @param schema the schema
 * @param value the value
 * @param what what the value is, as the subject of the error message: `The seed`
 * @returns the value with defaults
 * @throws SeedError if the value is invalid
 */
export function parse<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map(
    (issue) => `  ${escapeText(pathOf(issue.path))}: ${escapeText(issue.message)}`,
  );
  throw new SeedError(`${what} is not valid:\n${lines.join("\n")}`);
}

/** Formats a path like `projects[0].clusters[2].version`. */
function pathOf(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  return text === "" ? "(root)" : text;
}
