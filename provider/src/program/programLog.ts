/** Logs messages of a program, as opposed to those of the provider process (engine.ts). */
import type * as LogModule from "@pulumi/pulumi/log";
import { escapeMessage } from "../api/text";
import type { Log } from "../session/session";
import { runState } from "./runState";

/**
 * Logs through the SDK, which is loaded for the first message. Logs each distinct warning once per run.
 * Logs nothing outside of a run, because the SDK would write to standard error.
 *
 * @param severity how the message is displayed
 * @param message the message; unsafe characters are escaped
 */
export const programLog: Log = async (severity, message) => {
  const warned = runState("warnings.1", isSet, () => new Set());
  if (warned === undefined || (severity === "warning" && warned.has(message))) return;
  // eslint-disable-next-line @typescript-eslint/no-require-imports, @typescript-eslint/no-unsafe-assignment -- loaded for the first message
  const log: typeof LogModule = require("@pulumi/pulumi/log");
  const text = escapeMessage(message);
  if (severity === "progress") {
    await log.info(text, undefined, undefined, true);
  } else {
    warned.add(message);
    await log.warn(text);
  }
};

function isSet(value: unknown): value is Set<unknown> {
  return value instanceof Set;
}
