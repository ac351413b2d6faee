/**
 * Says whether a report is partial: its preview failed before Pulumi had seen all resources, so changes and errors of
 * later ones can be missing. A report that `--target` or `--exclude` limits, or that is cut because it is too long, is
 * not called partial.
 */
import type { Preview } from "./eventLog";
import type { Message } from "./model";

/** Returns whether a failed preview began, and then stopped at an error, as far as its events show. */
export function isPartial({ steps, result }: Preview, errors: readonly Message[]): boolean {
  // It failed before the first resource, so there is nothing to be a part of.
  if (steps.length === 0) return false;
  // Pulumi failed after the preview, for example because of --expect-no-changes.
  if (result === "succeeded") return false;
  // Pulumi lists deletions only after the program has ended and all its resources were seen.
  if (steps.some(({ op }) => op === "delete")) return false;
  // Without an error, something ended Pulumi.
  return errors.length === 0 || errors.some(isFatal);
}

/** Returns whether Pulumi stops at an error. `readEventLog` recognizes most of those after which it goes on. */
function isFatal({ isNonFatal = false, text }: Message): boolean {
  // Pulumi looks for missing targets after all resources.
  const isMissingTarget = /^Target '[^']*' could not be found/.test(text);
  return !isNonFatal && !isMissingTarget;
}
