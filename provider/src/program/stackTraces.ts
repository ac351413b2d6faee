/**
 * Disables stack traces while a resource is created. Pulumi's SDK records a stack trace with each
 * promise, to report promises that were never settled. A resource has four promises for each output, and
 * each trace is mapped through the program's source map: for a lookup with its thirteen outputs, this is
 * most of the cost in the program.
 */
import { RunError } from "./sdk";

/**
 * Disables stack traces until `resume` is called, unless Pulumi is configured to report unsettled
 * promises. Call it around `super` in a constructor: TypeScript does not allow `super` in a callback.
 *
 * @returns `resume`, and `traced`, which adds the missing stack trace to an error
 */
export function pauseStackTraces() {
  const { stackTraceLimit } = Error;
  const resume = () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
  if (!process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) Error.stackTraceLimit = 0;
  return {
    resume,
    /** Returns the error with the stack trace that it was created without. */
    traced(error: unknown): unknown {
      resume();
      if (error instanceof Error && !RunError.isInstance(error)) Error.captureStackTrace(error);
      return error;
    },
  };
}
