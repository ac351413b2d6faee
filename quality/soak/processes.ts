/** Finds the processes of an update, and waits for them. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A running process. */
export interface RunningProcess {
  readonly pid: number;
  /** The command and its arguments. */
  readonly command: readonly string[];
}

/** Whether this platform shows the environment of processes. */
export const canListProcesses = existsSync("/proc/self/environ");

/**
 * Lists the processes whose environment contains a string.
 *
 * @param text a string that only the environment of these processes contains
 * @param isWanted whether a command is wanted. Default: any
 */
export function processesWith(
  text: string,
  isWanted: (command: readonly string[]) => boolean = () => true,
): RunningProcess[] {
  if (!canListProcesses) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => ({
      pid: Number(pid),
      command: readIfRunning(`/proc/${pid}/cmdline`).split("\0").slice(0, -1),
    }))
    .filter(({ command }) => command.length > 0 && isWanted(command)) // A zombie has no command.
    .filter(({ pid }) => readIfRunning(`/proc/${pid}/environ`).includes(text));
}

/** Returns an empty string for a process that has ended, or that belongs to another user. */
function readIfRunning(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/**
 * Waits until a condition holds.
 *
 * @param seconds the time limit
 * @param pollMs the time between two checks, in milliseconds
 * @returns false if the time limit was reached
 */
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
