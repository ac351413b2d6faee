// @ts-check
/**
 * The lock around the install, in plain Node.js: proper-lockfile is not installed yet. It works
 * like proper-lockfile, so that both can share a path: the lock is a folder, and its owner keeps
 * updating the modification time.
 */
import fs from "node:fs";
import { clearInterval, setInterval } from "node:timers";
import { setTimeout as delay } from "node:timers/promises";
import { say } from "../terminal/console.mjs";
import { stopSignal } from "../terminal/signals.mjs";

const pollInterval = 200;
const updateInterval = 1_000;
const staleAfter = 10_000;

/**
 * @param {string} lock path of the lock
 * @param {() => Promise<void>} work
 */
export async function withInstallLock(lock, work) {
  for (let attempt = 0; !acquired(lock); attempt += 1) {
    if (attempt === 0) say(`Waiting for another process (lock: ${lock}).`);
    await delay(pollInterval);
    stopSignal.throwIfAborted();
  }
  // Ignores errors: if somebody removed the lock, the install continues.
  const update = setInterval(
    () => fs.utimes(lock, new Date(), new Date(), () => undefined),
    updateInterval,
  );
  try {
    await work();
  } finally {
    clearInterval(update);
    fs.rmSync(lock, { recursive: true, force: true });
  }
}

/** @param {string} lock */
function acquired(lock) {
  const stats = fs.statSync(lock, { throwIfNoEntry: false });
  // The owner was killed.
  if (stats && stats.mtimeMs < Date.now() - staleAfter) {
    fs.rmSync(lock, { recursive: true, force: true });
  }
  try {
    fs.mkdirSync(lock);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
