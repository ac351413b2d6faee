/** What a schema says of a value that is wrong. Apart from the schemas, which take their time to load. */
import type { core } from "../zod";

/** The problems of a value, one a line, each with the path of what is wrong. */
export function problemsOf(error: core.$ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
    .join("; ");
}
