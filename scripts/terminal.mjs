// @ts-check
/** Messages, progress and errors of the commands, on stderr, so that the output of commands can be piped. */
import { clearInterval, setInterval, setTimeout } from "node:timers";
import { manifest } from "./workspace.mjs";

/** An error that the user caused or can fix. Its message is printed without a stack trace. */
export class Failure extends Error {
  /**
   * @param {string} message what failed, on what, why, and what to do next
   * @param {number} exitCode the exit code of the command
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Thrown when Ctrl-C or a signal stops the command. */
export class Interruption extends Failure {
  /** @param {"SIGINT" | "SIGTERM" | "SIGHUP" | "SIGBREAK"} signal */
  constructor(signal) {
    super("Interrupted.", 128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15, SIGBREAK: 21 }[signal]);
  }
}

/**
 * Runs a command of scripts/: prints its help, checks the version of Node.js, sets the exit code.
 * @param {string} help printed if the first argument is `--help`
 * @param {(args: string[]) => Promise<number>} main returns the exit code
 */
export async function command(help, main) {
  const args = process.argv.slice(2);
  if (args[0] === "--help" || args[0] === "-h") {
    process.stdout.write(`${help.trim()}\n`);
    return;
  }
  try {
    requireNode();
    process.exitCode = await main(args);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say(red(error.message));
    process.exitCode = error.exitCode;
  }
}

function requireNode() {
  const needed = manifest().engines.node.replace(/^>=/, "");
  if (process.versions.node.localeCompare(needed, "en", { numeric: true }) >= 0) return;
  throw new Failure(
    `Node.js ${needed} or later is required; ${process.execPath} is ${process.versions.node}.\n` +
      "Install it (https://nodejs.org, or `nvm install`), then run the command again.",
  );
}

/** @param {string} text */
export const bold = (text) => colored("1", text);
/** @param {string} text */
export const dim = (text) => colored("2", text);
/** @param {string} text */
export const red = (text) => colored("31", text);
/** @param {string} text */
export const green = (text) => colored("32", text);

/**
 * @param {string} code
 * @param {string} text
 */
function colored(code, text) {
  // hasColors() respects NO_COLOR and terminals without colors.
  return process.stderr.isTTY && process.stderr.hasColors() ? `\x1b[${code}m${text}\x1b[0m` : text;
}

/** @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {number} milliseconds */
export function duration(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const firstLineAfter = 5_000;
const lineInterval = 30_000;

/**
 * Runs a step. If it takes more than five seconds, prints the time from time to time and at its end.
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} the result of the work
 */
export async function step(title, work) {
  const started = Date.now();
  const print = (/** @type {string} */ state) =>
    say(`${title}: ${state} ${dim(duration(Date.now() - started))}`);
  let repeated = setTimeout(() => {
    print("running for");
    repeated = setInterval(print, lineInterval, "running for");
  }, firstLineAfter);
  let outcome = red("failed after");
  try {
    const result = await work();
    outcome = green("done in");
    return result;
  } finally {
    clearInterval(repeated);
    if (Date.now() - started >= firstLineAfter) print(outcome);
  }
}
