/** The errors, log and state of one run. With the Automation API, several runs may share a process. */
import type * as LogModule from "@pulumi/pulumi/log";
import { type Code, type Log, withCode } from "../messages/codes";
import { escapeMessage } from "../messages/text";
import type { Session } from "../service/session";
import * as pulumi from "./sdk";

/**
 * Creates a `RunError` with a code, and without a stack trace, which Pulumi does not print, although it reads the
 * source maps of every file in it, which can take half a minute.
 */
export function runError(message: string, code?: Code): pulumi.RunError {
  const safe = withCode(escapeMessage(message), code);
  return Object.assign(new pulumi.RunError(safe), { stack: safe, code });
}

interface RunState {
  readonly warnings: Set<string>;
  /** The sessions, keyed by settings, so that all calls in a run share one list of clusters per project. */
  readonly sessions: Map<string, Session>;
}

const states = new WeakMap<object, RunState>();

/** Returns the state of the current run; undefined outside a run, as in unit tests with mocks. */
export function runState(): RunState | undefined {
  const run = pulumi.getStackResource();
  if (run === undefined) return undefined;
  const state = states.get(run) ?? { warnings: new Set(), sessions: new Map() };
  states.set(run, state);
  return state;
}

/** Returns whether this is a unit test with `pulumi.runtime.setMocks`. */
export function isMocked(): boolean {
  const monitor = pulumi.getMonitor();
  return monitor !== undefined && "mocks" in monitor;
}

/** Logs each distinct warning once per run, and nothing outside, where the SDK would write to standard error. */
export const programLog: Log = async (severity, message, code) => {
  const warned = runState()?.warnings;
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
