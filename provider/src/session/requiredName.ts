/** The schema of arguments that name something in the service. */
import * as z from "../api/zod";

/**
 * Creates the schema of a required, non-empty name.
 *
 * @param description what the argument must be, for the message
 * @returns the schema
 * @example requiredName("a project ID") // "must be a project ID, not empty"
 */
export function requiredName(description: string) {
  return z
    .string(`must be ${description}`)
    .check(z.minLength(1, `must be ${description}, not empty`));
}
