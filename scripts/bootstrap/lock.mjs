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
 * @param {{ waiting?: string }} options waiting: printed if another process holds the lock
 * @returns {Promise<T>} the result of the work
 */
export async function withLock(
  lock,
  work,
  { waiting = `Waiting for another process (lock: ${lock}).` } = {},
) {
  const { default: lockfile } = await import("proper-lockfile");
  const { default: pRetry } = await import("p-retry");
  const options = {
    lockfilePath: lock,
    realpath: false,
    // Called if the lock was removed, or expired while the machine was suspended. The work continues.
    onCompromised: () => undefined,
  };
  const release = await pRetry(() => lockfile.lock(lock, options), {
    retries: Infinity,
    minTimeout: pollInterval,
    factor: 1,
    signal: stopSignal,
    shouldRetry: ({ error }) => "code" in error && error.code === "ELOCKED",
    onFailedAttempt: ({ attemptNumber }) => {
      if (attemptNumber === 1) say(waiting);
    },
  });
  try {
    return await work();
  } finally {
    // Fails only if the lock is gone.
    await release().catch(() => undefined);
  }
}
