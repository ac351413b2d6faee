import { setTimeout as sleep } from "node:timers/promises";

/** Waits until a condition holds. Returns false if the time limit was reached. */
export async function waitUntil(
  holds: () => boolean,
  seconds: number,
  pollMs = 50,
): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  while (!holds()) {
    if (performance.now() > end) return false;
    await sleep(pollMs);
  }
  return true;
}
