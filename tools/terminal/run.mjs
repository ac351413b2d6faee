// @ts-check
// Child processes, and what becomes of them when the command is asked to stop: they are asked too,
// and once they have ended an Interruption unwinds the tool, so that every `finally` tidies up.
import { spawn } from "node:child_process";
import os from "node:os";
import readline from "node:readline";
import { Failure, Interruption } from "./failure.mjs";

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
/** @type {"SIGINT" | "SIGTERM" | "SIGHUP" | undefined} */
let stopSignal;

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => {
    stopSignal = signal;
    // A terminal's Ctrl-C reaches the children by itself; a second one would make Pulumi give up
    // at once instead of letting it cancel in order.
    if (signal === "SIGINT" && onTerminal()) return;
    for (const child of running) child.kill("SIGINT");
  });
}

function onTerminal() {
  return [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
}

/**
 * To be called between steps and while waiting.
 * @throws {Interruption} once the command has been asked to stop
 */
export function stopIfAsked() {
  if (stopSignal) throw new Interruption(stopSignal);
}

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] the whole environment; default: this process's
 * @property {boolean} [finishWhenAsked] once asked to stop, still give the child's own exit code
 *
 * @typedef {{ code: number, output: string }} Finished code: 128 + signal number if it was killed
 */

/**
 * Runs a command whose input and output are this process's own.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<number>} its exit code
 */
export async function run(command, args, options = {}) {
  stopIfAsked();
  const child = spawn(command, args, { ...environmentOf(options), stdio: "inherit" });
  return finished(child, command, options);
}

/**
 * Runs a command without showing its output.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions & { onLine?: (line: string) => void }} options onLine: sees each line as it comes
 * @returns {Promise<Finished>} output: both streams, as text
 */
export async function capture(command, args, { onLine, ...options } = {}) {
  stopIfAsked();
  const child = spawn(command, args, {
    ...environmentOf(options),
    stdio: ["ignore", "pipe", "pipe"],
  });
  /** @type {string[]} */
  const lines = [];
  for (const stream of [child.stdout, child.stderr]) {
    readline.createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      onLine?.(line);
    });
  }
  const code = await finished(child, command, options);
  return { code, output: lines.join("\n") };
}

/** @param {RunOptions} options */
function environmentOf({ cwd, env }) {
  return { ...(cwd !== undefined && { cwd }), env: env ?? process.env };
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {string} command
 * @param {RunOptions} options
 * @returns {Promise<number>}
 */
async function finished(child, command, { finishWhenAsked = false }) {
  running.add(child);
  try {
    const code = await new Promise((resolve, reject) => {
      child.once("error", (error) =>
        reject(new Failure(`Cannot run ${command}: ${error.message}`)),
      );
      child.once("close", (exitCode, signal) => {
        resolve(exitCode ?? 128 + (signal ? os.constants.signals[signal] : 0));
      });
    });
    if (!finishWhenAsked) stopIfAsked();
    return code;
  } finally {
    running.delete(child);
  }
}
