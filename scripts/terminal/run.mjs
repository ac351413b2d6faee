// @ts-check
/**
 * Runs child processes with execa. It is imported on first use, because this module is loaded before
 * the dependencies are installed.
 */
import os from "node:os";
import { Failure } from "./failure.mjs";
import { forwardSignals, stopSignal } from "./signals.mjs";

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] the whole environment; default: the environment of this process
 * @property {boolean} [ignoreInterruption] returns the child's exit code even after a signal
 *
 * @typedef {object} Finished
 * @property {number} code the exit code, or 128 + the signal's number
 * @property {string} output both streams, if they were captured
 */

/**
 * Runs a command that uses the streams of this process.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<number>} its exit code
 */
export async function run(command, args, options = {}) {
  const { code } = await finish(command, args, options, { stdio: "inherit" });
  return code;
}

/**
 * Runs a command and captures its output without printing it.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions & { onLine?: (line: string) => void }} options onLine: called with each line
 * @returns {Promise<Finished>}
 */
export async function capture(command, args, { onLine, ...options } = {}) {
  const observe = function* (/** @type {unknown} */ line) {
    onLine?.(String(line));
    yield line;
  };
  return finish(command, args, options, {
    stdin: "ignore",
    stdout: observe,
    stderr: observe,
    all: true,
  });
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
 * @param {import("execa").Options} streams
 * @returns {Promise<Finished>}
 */
async function finish(command, args, options, streams) {
  const { cwd = process.cwd(), env = process.env, ignoreInterruption = false } = options;
  stopSignal.throwIfAborted();
  const { execa } = await import("execa");
  const child = execa(command, args, { ...streams, cwd, env, extendEnv: false, reject: false });
  forwardSignals(child);
  const { exitCode, signal, all, originalMessage } = await child;
  if (!ignoreInterruption) stopSignal.throwIfAborted();
  const code = exitCode ?? (signal && 128 + os.constants.signals[signal]);
  if (code === undefined) throw new Failure(`Cannot run ${command}: ${originalMessage}`);
  return { code, output: String(all ?? "") };
}
