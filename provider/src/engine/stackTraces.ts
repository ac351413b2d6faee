/**
 * Pulumi's SDK keeps a stack trace with each promise, to tell which one a program never kept. A
 * resource has four promises for each of its outputs, and a trace is led through the program's source
 * map: for a lookup, with its thirteen outputs, that is most of what it costs the program.
 */
import { RunError } from "@pulumi/pulumi";

/** Does the work without traces, unless Pulumi was asked for them. An error it throws has its own. */
export function withoutStackTraces<T>(work: () => T): T {
  if (process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) return work();
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } catch (error) {
    Error.stackTraceLimit = stackTraceLimit;
    if (error instanceof Error && !RunError.isInstance(error)) Error.captureStackTrace(error);
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
