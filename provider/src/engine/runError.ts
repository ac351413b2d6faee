/** Errors for the author of a program, where the message says all. */
import * as pulumi from "./sdk";

/**
 * A `RunError` without a stack. Pulumi shows none, but reads the source maps of every file in it
 * first, of a cause as well: that can take half a minute of a failing preview.
 */
export function runError(message: string): pulumi.RunError {
  const error = new pulumi.RunError(message);
  error.stack = message;
  return error;
}
