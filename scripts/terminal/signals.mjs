// @ts-check
/**
 * Handles signals that stop the command. A signal does not end the command at once: the command waits
 * for its child process and then throws an Interruption, so that every `finally` block runs.
 */
import { Interruption } from "./failure.mjs";

const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
const stop = new AbortController();

for (const signal of signals) {
  process.on(signal, () => stop.abort(new Interruption(signal)));
}

/** Aborted with an Interruption by the first signal. */
export const stopSignal = stop.signal;

/**
 * Sends SIGINT to a child process for every signal until it ends, because Pulumi and npm stop cleanly
 * on SIGINT.
 * @param {Pick<import("node:child_process").ChildProcess, "kill" | "once">} child
 */
export function forwardSignals(child) {
  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    // A terminal sends Ctrl-C to the child as well. A second SIGINT would make Pulumi exit at once
    // instead of cancelling cleanly.
    if (signal === "SIGINT" && isOnTerminal()) return;
    child.kill("SIGINT");
  };
  for (const signal of signals) process.on(signal, forward);
  child.once("close", () => {
    for (const signal of signals) process.off(signal, forward);
  });
}

function isOnTerminal() {
  return [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
}
