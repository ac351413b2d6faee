/**
 * What belongs to one run of a program: its errors, its log, and its state. Several runs may share a
 * process (the Automation API), and one run may load several copies of this package (npm installs one for
 * each dependent that requires another version), so the state is kept on the run's stack resource, under
 * a name that all copies know.
 */
import type * as LogModule from "@pulumi/pulumi/log";
import { type Code, withCode } from "../messages/codes";
import { escapeMessage } from "../messages/text";
import type { Log } from "../service/session";
import * as pulumi from "./sdk";

/**
 * Creates a `RunError` with a code, which a program can test, and without a stack trace. Pulumi does not print the
 * stack trace, but reads the source maps of every file in it and in its cause, which can take half a minute of a
 * failing preview.
 */
export function runError(message: string, code?: Code): pulumi.RunError {
  const safe = withCode(escapeMessage(message), code);
  return Object.assign(new pulumi.RunError(safe), { stack: safe, code });
}

/**
 * Returns the state of the current run, which is created on first use; undefined outside a run, as in unit
 * tests with mocks. If its shape changes, the name must change.
 */
export function runState<State extends object>(
  name: string,
  StateOfRun: new () => State,
): State | undefined {
  const run = pulumi.getStackResource();
  if (run === undefined) return undefined;
  const key = Symbol.for(`pulumi-clouddb.${name}`);
  const existing: unknown = Reflect.get(run, key);
  if (existing instanceof StateOfRun) return existing;
  const state = new StateOfRun();
  Object.defineProperty(run, key, { value: state, configurable: true });
  return state;
}

/**
 * Logs through the SDK, which is loaded for the first message. Logs each distinct warning once per run.
 * Logs nothing outside a run, because the SDK would write to standard error.
 */
export const programLog: Log = async (severity, message, code) => {
  const warned = runState("warnings.1", Set<string>);
  if (warned === undefined || (severity === "warning" && warned.has(message))) return;
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- loaded for the first message
  const log: typeof LogModule = require("@pulumi/pulumi/log");
  const text = withCode(escapeMessage(message), code);
  if (severity === "progress") {
    await log.info(text, undefined, undefined, true);
  } else {
    warned.add(message);
    await log.warn(text);
  }
};
