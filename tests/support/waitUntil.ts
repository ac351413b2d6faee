import { AssertionError } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** The longest wait in milliseconds, which is shorter than the timeout of any test. */
const longest = 25_000;

/**
 * Waits until a condition holds.
 *
 * @param actual what the message shows if the wait takes over 25 seconds
 */
export async function waitUntil(
  expected: string,
  holds: () => boolean | Promise<boolean>,
  actual: () => unknown = () => undefined,
): Promise<void> {
  const deadline = performance.now() + longest;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      const message = `after ${longest / 1000} seconds, not yet: ${expected}`;
      throw new AssertionError({ message, expected, actual: actual(), operator: "waitUntil" });
    }
    await sleep(20);
  }
}
