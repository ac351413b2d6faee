/** Describes schema errors. Separate from the schemas, because those are slow to load. */
import type { core } from "./zod";
import { escapeText } from "./text";
import { type Redact, redactNothing } from "./redact";

/** How many problems are listed; more do not help to find the cause. */
const maxProblems = 5;

const maxPath = 200;
const maxMessage = 300;

/**
 * Describes what is wrong with a value. Escapes and truncates paths and messages, which may contain
 * keys of the value.
 *
 * @param error the error that the schema reports
 * @param redact redacts credentials. Default: redacts nothing
 * @returns the first five problems, each with the path of the invalid value, separated by semicolons
 * @example problemsOf(error) // "results.0.dbVersion: expected a string"
 */
export function problemsOf(
  error: Pick<core.$ZodError, "issues">,
  redact: Redact = redactNothing,
): string {
  const described = error.issues.slice(0, maxProblems).map(({ path, message }) => {
    const problem = escapeText(redact(message), maxMessage);
    if (path.length === 0) return problem;
    return `${escapeText(redact(path.join(".")), maxPath)}: ${problem}`;
  });
  const more = error.issues.length - described.length;
  return [...described, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
