// @ts-check
/**
 * Prints messages and progress of the tools to stderr, so that the output of commands on stdout can
 * be piped (`npm run -s pulumi -- stack output --json`).
 */
import { clearInterval, setInterval } from "node:timers";
import { Interruption } from "./failure.mjs";

const second = 1000;
const lineInterval = 30 * second;
const silentPeriod = 2 * second;

/** @param {string} text */
export const bold = (text) => colored("1", text);
/** @param {string} text */
const dim = (text) => colored("2", text);
/** @param {string} text */
export const red = (text) => colored("31", text);
/** @param {string} text */
export const green = (text) => colored("32", text);

/** @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs a step and shows its progress: one updating line on a terminal, otherwise a line every 30 s.
 * Prints nothing for work that takes less than two seconds, unless `expect` is set.
 * @template T
 * @param {string} title
 * @param {(progress: (detail: string) => void) => Promise<T>} work calls `progress` with its latest detail
 * @param {{ expect?: string }} options expect: the usual duration, printed at the start
 * @returns {Promise<T>} the result of the work
 */
export async function step(title, work, { expect } = {}) {
  const started = Date.now();
  const elapsed = () => duration(Date.now() - started);
  const terminal = process.stderr.isTTY;
  let detail = "";
  let printed = expect !== undefined;
  let lastPrinted = started;
  if (expect !== undefined) say(`${bold(title)} ${dim(`(${expect})`)}`);

  const timer = setInterval(() => {
    if (terminal && (printed || Date.now() - started > silentPeriod)) {
      printed = true;
      rewriteLine(`${title}: ${elapsed()} ${dim(detail)}`, detail);
    } else if (!terminal && Date.now() - lastPrinted >= (printed ? lineInterval : silentPeriod)) {
      say(printed ? `${title}: ${elapsed()} so far${detail && `, ${detail}`}` : bold(title));
      printed = true;
      lastPrinted = Date.now();
    }
  }, second / 2);
  /** @param {string} outcome */
  const close = (outcome) => {
    clearInterval(timer);
    if (terminal && printed) process.stderr.write("\r\x1b[K");
    if (printed) say(`${title}: ${outcome} ${dim(elapsed())}`);
  };

  try {
    const result = await work((text) => (detail = text));
    close(green("done"));
    return result;
  } catch (error) {
    close(error instanceof Interruption ? "stopped" : red("failed"));
    throw error;
  }
}

/** @param {number} milliseconds */
function duration(milliseconds) {
  const seconds = Math.round(milliseconds / second);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * @param {string} line
 * @param {string} detail the part of the line that may be truncated
 */
function rewriteLine(line, detail) {
  const room = process.stderr.columns - 1 - (line.length - detail.length);
  const truncated =
    detail.length > room ? line.replace(detail, detail.slice(0, Math.max(0, room))) : line;
  process.stderr.write(`\r\x1b[K${truncated}`);
}

/**
 * @param {string} code
 * @param {string} text
 */
function colored(code, text) {
  // hasColors() respects NO_COLOR and terminals without colors.
  return process.stderr.isTTY && process.stderr.hasColors() ? `\x1b[${code}m${text}\x1b[0m` : text;
}
