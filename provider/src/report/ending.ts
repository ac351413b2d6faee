/** Says how a preview ended. */
import type { Preview } from "./eventLog";
import type { Message } from "./model";

export function hasFailed(preview: Preview, errors: readonly Message[], exitCode: number): boolean {
  const { isFinished, result = "succeeded" } = preview;
  return exitCode !== 0 || errors.length > 0 || result !== "succeeded" || !isFinished;
}

/** Returns whether a failed preview stopped. A policy, or a change that was not expected, fails it at its end. */
export function isPartial({ steps, result }: Preview, errors: readonly Message[]): boolean {
  if (steps.length === 0 || result === "succeeded") return false;
  return errors.length === 0 || errors.some(({ isPolicyViolation }) => !isPolicyViolation);
}
