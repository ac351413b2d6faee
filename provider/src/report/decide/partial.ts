/**
 * Says whether a report is partial: its preview failed before Pulumi had seen all resources, so changes and errors of
 * later ones can be missing. A report that `--target` or `--exclude` limits, or that is cut because it is too long, is
 * not called partial.
 */
import type { Message } from "../model";
import type { Preview } from "../read/eventLog";

/** Returns whether a failed preview ended after it began and before all resources were seen, as its events show. */
export function isPartial(
  { steps, leftovers, result, isFinished }: Preview,
  errors: readonly Message[],
): boolean {
  // It failed before the program registered anything, even the stack, so there is nothing to be a part of.
  if (steps.length + leftovers.length === 0) return false;
  // Pulumi failed after the preview, for example because of --expect-no-changes.
  if (result === "succeeded") return false;
  // Pulumi lists deletions only after the program has ended and all its resources were seen.
  if (steps.some(({ op }) => op === "delete")) return false;
  // Without the engine's summary or an error, something ended Pulumi.
  return !isFinished || errors.length === 0 || errors.some(stopsPulumi);
}

/** Returns whether Pulumi stops at an error. The events say of most others that it goes on (`Diagnostic.goesOn`). */
function stopsPulumi({ goesOn = false, text }: Message): boolean {
  // Pulumi looks for missing targets after all resources.
  const isMissingTarget = /^Target '[^']*' could not be found/.test(text);
  return !goesOn && !isMissingTarget;
}
