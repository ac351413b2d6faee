/** Says how a preview ended. */
import type { Preview } from "./eventLog";
import type { Message } from "./model";

export function hasFailed(preview: Preview, errors: readonly Message[], exitCode: number): boolean {
  const { isFinished, result = "succeeded" } = preview;
  return exitCode !== 0 || errors.length > 0 || result !== "succeeded" || !isFinished;
}

/** Returns whether a failed preview stopped. Some failures, such as a change that was not expected, come at its end. */
export function isPartial({ steps, result }: Preview, errors: readonly Message[]): boolean {
  if (steps.length === 0 || result === "succeeded") return false;
  // Pulumi only lists deletions after the end of the program.
  if (steps.some(({ op }) => op === "delete")) return false;
  return errors.length === 0 || errors.some((error) => !isNonFatalOrLast(error));
}

/** Pulumi looks for missing targets after all resources. */
function isNonFatalOrLast({ isNonFatal = false, text }: Message): boolean {
  return isNonFatal || /^Target '[^']*' could not be found/.test(text);
}
