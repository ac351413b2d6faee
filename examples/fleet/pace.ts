/**
 * Keeps a project within its limit of requests per minute across all its stacks. The stacks of a project run
 * one at a time, each with its own limit (`requestsPerStack`), and start at a minimum interval. This limits
 * the number of stacks that send requests within any minute, and thus the sum of their requests.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Fleet } from "./stackList";

/**
 * Returns the time between the starts of two stacks of a project, in seconds.
 *
 * At most `requestsPerMinute / requestsPerStack` stacks may overlap any minute. Two of them are reserved: for
 * the one that started before the minute, and for the one that a resumed run starts without the interval.
 */
export function startInterval({ requestsPerMinute, requestsPerStack }: Fleet): number {
  return 60 / (Math.floor(requestsPerMinute / requestsPerStack) - 2);
}

/**
 * Runs the work, and then waits until the next stack of the project may start.
 *
 * @param stop ends the wait
 */
export async function paced<T>(
  fleet: Fleet,
  stop: AbortSignal,
  work: () => Promise<T>,
): Promise<void> {
  const next = Date.now() + startInterval(fleet) * 1000;
  await work();
  await sleep(Math.max(0, next - Date.now()), undefined, { signal: stop }).catch(() => undefined);
}
