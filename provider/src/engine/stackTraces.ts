/**
 * Pulumi's SDK keeps a stack trace with each promise, to tell which one a program never kept. A
 * resource has four promises for each of its outputs, and a trace is led through the program's source
 * map: for a lookup, with its thirteen outputs, that is most of what it costs the program.
 */
import { RunError } from "./sdk";

/**
 * Leaves out stack traces until they are resumed, unless Pulumi was asked for them. To be called
 * around `super` in a constructor, which TypeScript wants there and in no function.
 */
export function pauseStackTraces() {
  const { stackTraceLimit } = Error;
  const resume = () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
  if (!process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) Error.stackTraceLimit = 0;
  return {
    resume,
    /** The error, with the trace that it was made without. */
    traced(error: unknown): unknown {
      resume();
      if (error instanceof Error && !RunError.isInstance(error)) Error.captureStackTrace(error);
      return error;
    },
  };
}
