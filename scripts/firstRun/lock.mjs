// @ts-check
/** Locks across processes, before dependencies are installed: a folder whose modification time the owner updates. */
import fs from "node:fs";
import { clearInterval, setInterval } from "node:timers";
import { setTimeout as delay } from "node:timers/promises";
import { stopSignal } from "../processes.mjs";
import { say } from "../terminal.mjs";

const pollInterval = 200;
const updateInterval = 1_000;
const staleAfter = 10_000;

/**
 * Runs the work while no other process holds the lock. The lock of a killed process expires.
 * @template T
 * @param {string} lock path of the lock
 * @param {() => Promise<T>} work
 * @param {{ waiting?: string, unless?: () => Promise<T | undefined> }} options waiting: printed if another process
 *   holds the lock; unless: called while waiting; its result replaces the work's result
 * @returns {Promise<T>} the result of the work
 */
export async function withLock(lock, work, options = {}) {
  const { waiting = `Waiting for another process (lock: ${lock}).`, unless } = options;
  for (let attempt = 0; ; attempt += 1) {
    const result = await unless?.();
    if (result !== undefined) return result;
    if (acquired(lock)) break;
    if (attempt === 0) say(waiting);
    await delay(pollInterval);
    stopSignal.throwIfAborted();
  }
  // Ignores errors, so that the work continues if somebody removes the lock.
  const update = setInterval(
    () => fs.utimes(lock, new Date(), new Date(), () => undefined),
    updateInterval,
  );
  try {
    return await work();
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
