// @ts-check
/** Locks across processes with proper-lockfile, imported on first use because it is a dependency. */
import { say } from "../terminal/console.mjs";
import { stopSignal } from "../terminal/signals.mjs";

const pollInterval = 200;

/**
 * Runs the work while no other process holds the lock. The lock of a killed process expires.
 * @template T
 * @param {string} lock path of the lock; its parent folder exists
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} the result of the work
 */
export async function withLock(lock, work) {
  const { default: lockfile } = await import("proper-lockfile");
  const { default: pRetry } = await import("p-retry");
  const release = await pRetry(() => lockfile.lock(lock, { lockfilePath: lock, realpath: false }), {
    retries: Infinity,
    minTimeout: pollInterval,
    factor: 1,
    signal: stopSignal,
    shouldRetry: ({ error }) => "code" in error && error.code === "ELOCKED",
    onFailedAttempt: ({ attemptNumber }) => {
      if (attemptNumber === 1) say(`Waiting for another process (lock: ${lock}).`);
    },
  });
  try {
    return await work();
  } finally {
    await release();
  }
}
