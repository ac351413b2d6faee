// @ts-check
// What the tools themselves say. It all goes to stderr, so that stdout stays the command's own
// (`npm run -s pulumi -- stack output --json` can be piped).
import { clearInterval, setInterval } from "node:timers";
import { Interruption } from "./failure.mjs";

const SECOND = 1000;
const LINE_EVERY = 30 * SECOND;
const QUIET_FOR = 2 * SECOND;

/** @param {string} text */
export const bold = (text) => coloured("1", text);
/** @param {string} text */
export const dim = (text) => coloured("2", text);
/** @param {string} text */
export const red = (text) => coloured("31", text);
/** @param {string} text */
export const green = (text) => coloured("32", text);

/** @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Does one piece of work and shows that it goes on: a single updating line on a terminal, else a
 * line now and then. Work that is over within two seconds stays silent, unless it is announced.
 * @template T
 * @param {string} title
 * @param {(progress: (detail: string) => void) => Promise<T>} work told how far it is by `progress`
 * @param {{ expect?: string }} options expect: announces the work with how long it usually takes
 * @returns {Promise<T>} what the work gives
 */
export async function step(title, work, { expect } = {}) {
  const started = Date.now();
  const elapsed = () => duration(Date.now() - started);
  const terminal = process.stderr.isTTY;
  let detail = "";
  let spoke = expect !== undefined;
  let spokeLast = started;
  if (expect !== undefined) say(`${bold(title)} ${dim(`(${expect})`)}`);

  const timer = setInterval(() => {
    if (terminal && (spoke || Date.now() - started > QUIET_FOR)) {
      spoke = true;
      rewriteLine(`${title}: ${elapsed()} ${dim(detail)}`, detail);
    } else if (!terminal && Date.now() - spokeLast >= (spoke ? LINE_EVERY : QUIET_FOR)) {
      say(spoke ? `${title}: ${elapsed()} so far${detail && `, ${detail}`}` : bold(title));
      spoke = true;
      spokeLast = Date.now();
    }
  }, SECOND / 2);
  /** @param {string} outcome */
  const close = (outcome) => {
    clearInterval(timer);
    if (terminal && spoke) process.stderr.write("\r\x1b[K");
    if (spoke) say(`${title}: ${outcome} ${dim(elapsed())}`);
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
  const seconds = Math.round(milliseconds / SECOND);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * @param {string} line
 * @param {string} detail the part of it that may be cut
 */
function rewriteLine(line, detail) {
  const room = process.stderr.columns - 1 - (line.length - detail.length);
  const cut =
    detail.length > room ? line.replace(detail, detail.slice(0, Math.max(0, room))) : line;
  process.stderr.write(`\r\x1b[K${cut}`);
}

/**
 * @param {string} code
 * @param {string} text
 */
function coloured(code, text) {
  // hasColors() honours NO_COLOR and terminals without colours.
  return process.stderr.isTTY && process.stderr.hasColors() ? `\x1b[${code}m${text}\x1b[0m` : text;
}
