// @ts-check
/** Runs child processes, and stops them on signals. Plain Node.js, because the dependencies may be missing. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import os from "node:os";
import readline from "node:readline";
import { clearInterval, setInterval } from "node:timers";
import { endLeftProcesses, endWithThisProcess, readIfRunning } from "./markedProcesses.cjs";
import { Failure, Interruption } from "./terminal.mjs";

const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"]);
const stop = new AbortController();

// A signal does not end the command at once. The command waits for its child processes and then throws an Interruption,
// so that every `finally` block runs.
for (const signal of signals) {
  process.on(signal, () => stop.abort(new Interruption(signal)));
}

/** Aborted with an Interruption by the first signal. */
export const stopSignal = stop.signal;

// npm passes SIGTERM to the shell that runs this command, which ends without passing it on. npm passes on neither
// SIGHUP nor SIGKILL.
if (process.env.npm_lifecycle_event !== undefined) endWithParents();

function endWithParents() {
  const started = parents();
  const watch = setInterval(() => {
    if (parents() === started) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 1_000);
  watch.unref();
}

/** Returns the IDs of the shell and, if /proc exists, of npm. */
function parents() {
  const status = readIfRunning(`/proc/${process.ppid}/status`);
  return `${process.ppid} ${/^PPid:\s*(\d+)/m.exec(status)?.[1]}`;
}

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] the whole environment; default: the environment of this process
 * @property {boolean} [ignoreInterruption] returns the child's exit code even after a signal
 * @property {AbortSignal} [signal] stops the child with SIGINT
 */

/**
 * Runs a command that uses the streams of this process.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<number>} its exit code, or 128 + the signal's number
 */
export async function run(command, args, options = {}) {
  return (await finish(command, args, options, "inherit")).code;
}

/**
 * Runs a command that uses the streams of this process, and ends what it leaves behind, even after SIGKILL.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<{ code: number, left: { pid: number, command: string }[] }>} left: the processes that had to be
 *   killed
 */
export async function runMarked(command, args, options = {}) {
  const mark = randomUUID();
  const env = { ...(options.env ?? process.env), TEST_RUN: mark };
  endWithThisProcess(mark);
  const ended = run(command, args, { ...options, env });
  await Promise.allSettled([ended]);
  const left = await endLeftProcesses(mark);
  return { code: await ended, left };
}

/**
 * Runs a command and captures its output without printing it.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<{ code: number, output: string }>} output: both streams
 */
export async function capture(command, args, options = {}) {
  return finish(command, args, options, ["ignore", "pipe", "pipe"]);
}

/**
 * @param {string} output
 * @returns {string} the last line, which usually says why a command failed
 */
export function lastLine(output) {
  return output.trim().split("\n").at(-1) ?? "";
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} options
 * @param {import("node:child_process").StdioOptions} stdio
 */
async function finish(command, args, options, stdio) {
  const { cwd = process.cwd(), env = process.env, ignoreInterruption = false, signal } = options;
  stopSignal.throwIfAborted();
  signal?.throwIfAborted();
  const child = spawn(command, args, { cwd, env, stdio });
  const interrupt = () => child.kill("SIGINT");
  signal?.addEventListener("abort", interrupt);
  for (const name of signals) process.on(name, forward);
  try {
    /** @type {string[]} */
    const lines = [];
    for (const input of [child.stdout, child.stderr]) {
      if (!input) continue;
      readline.createInterface({ input }).on("line", (line) => lines.push(line));
    }
    /** @type {number} */
    const code = await new Promise((resolve, reject) => {
      child.once("error", (error) =>
        reject(new Failure(`Cannot run ${command}: ${error.message}`)),
      );
      child.once("close", (exitCode, endedBy) =>
        resolve(exitCode ?? 128 + os.constants.signals[endedBy ?? "SIGKILL"]),
      );
    });
    if (!ignoreInterruption) stopSignal.throwIfAborted();
    signal?.throwIfAborted();
    return { code, output: lines.join("\n") };
  } finally {
    signal?.removeEventListener("abort", interrupt);
    for (const name of signals) process.off(name, forward);
  }

  /** @param {NodeJS.Signals} received */
  function forward(received) {
    // Pulumi, npm and Go stop cleanly on SIGINT. A terminal sends Ctrl-C to the child as well, and a console of Windows
    // sends it all signals. A second SIGINT would make Pulumi exit at once instead of cancelling cleanly.
    const isSentToBoth = process.platform === "win32" || (received === "SIGINT" && isOnTerminal());
    if (!isSentToBoth) interrupt();
  }
}

function isOnTerminal() {
  return [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
}
