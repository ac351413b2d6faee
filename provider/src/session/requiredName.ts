/** The schemas of arguments that name something in the service. */
import { escapeText, unsafeCharacters } from "../api/text";
import * as z from "../api/zod";
import { readArguments } from "./functionArguments";

/**
 * Creates the schema of a required, non-empty name.
 *
 * @param description what the argument must be, for the message
 * @returns the schema
 * @example requiredName("a region") // "must be a region, not empty"
 */
export function requiredName(description: string) {
  return z
    .string(`must be ${description}`)
    .check(
      z.minLength(1, `must be ${description}, not empty`),
      z.refine(isVisible, `must be ${description}, without control or invisible characters`),
    );
}

/** The schema of a project ID, which becomes a segment of a path (RFC 3986 2.3 and 3.3). */
export const projectIdSchema = z.string("must be a project ID").check(
  z.minLength(1, { error: "must be a project ID, not empty", abort: true }),
  z.regex(
    /^[\w.~-]+$/,
    "must be a project ID: it may contain only ASCII letters, digits, -, ., _ and ~",
  ),
  z.refine((id) => !/^\.\.?$/.test(id), "must be a project ID: . and .. are not IDs"),
);

/**
 * Validates a project ID that is not an argument, such as the ID of an import.
 *
 * @param id the project ID
 * @param description what it is, for the message. Default: the ID itself
 * @returns the same ID
 * @throws ProviderError that says why it is not a project ID
 */
export function readProjectId(id: string, description = `ID "${escapeText(id)}"`): string {
  return readArguments(projectIdSchema, description, id);
}

function isVisible(text: string): boolean {
  return text.search(unsafeCharacters) === -1;
}
