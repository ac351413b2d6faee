/** Errors for the author of a program, where the message says all. */
import { escapeMessage } from "../api/escapeText";
import * as pulumi from "./sdk";

/**
 * A `RunError` without a stack. Pulumi shows none, but reads the source maps of every file in it
 * first, of a cause as well: that can take half a minute of a failing preview.
 *
 * @param message the whole message; what is unsafe for a terminal is escaped
 */
export function runError(message: string): pulumi.RunError {
  const safe = escapeMessage(message);
  const error = new pulumi.RunError(safe);
  error.stack = safe;
  return error;
}
