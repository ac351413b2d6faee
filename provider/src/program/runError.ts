/** User errors in a program, reported without a stack trace. */
import { escapeMessage } from "../api/text";
import * as pulumi from "./sdk";

/**
 * Creates a `RunError` without a stack trace. Pulumi does not print the stack trace, but reads the source
 * maps of every file in it and in its cause, which can take half a minute of a failing preview.
 *
 * @param message the whole message; unsafe characters are escaped
 * @returns the error to throw
 */
export function runError(message: string): pulumi.RunError {
  const safe = escapeMessage(message);
  const error = new pulumi.RunError(safe);
  error.stack = safe;
  return error;
}
