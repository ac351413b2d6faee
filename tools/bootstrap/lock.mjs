// @ts-check
// One bootstrap at a time: a lock file that holds the process id of its owner, so that the lock
// of a process that was killed does not stand in the way of the next one.
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { say } from "../terminal/console.mjs";
import { stopIfAsked } from "../terminal/run.mjs";

const POLL_MILLISECONDS = 200;

/**
 * @template T
 * @param {string} file the lock file; its folder exists
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} what the work gives
 */
export async function withLock(file, work) {
  await acquire(file);
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/**
 * Whether a process of this id runs, whoever owns it.
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** @param {string} file */
async function acquire(file) {
  // Written aside and linked into place, so that nobody ever reads a lock without its owner.
  const ticket = `${file}.${process.pid}`;
  fs.writeFileSync(ticket, String(process.pid));
  try {
    let waiting = false;
    while (!linked(ticket, file)) {
      const owner = ownerOf(file);
      if (owner !== undefined && !isAlive(owner)) {
        fs.rmSync(file, { force: true });
        continue;
      }
      if (!waiting && owner !== undefined) {
        say(`Waiting for process ${owner}, which is at the same step (lock: ${file}).`);
        waiting = true;
      }
      await delay(POLL_MILLISECONDS);
      stopIfAsked();
    }
  } finally {
    fs.rmSync(ticket, { force: true });
  }
}

/**
 * @param {string} ticket
 * @param {string} file
 */
function linked(ticket, file) {
  try {
    fs.linkSync(ticket, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/**
 * @param {string} file
 * @returns {number | undefined} undefined if the lock was released meanwhile
 */
function ownerOf(file) {
  try {
    return Number(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
