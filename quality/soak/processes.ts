/** Finds the processes of an update, and waits for them. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Whether this platform shows the environment of processes. */
export const canListProcesses = existsSync("/proc/self/environ");

/** Lists the processes whose environment contains a text that only these processes have. */
export function processesWith(text: string): { readonly pid: number; readonly command: string }[] {
  if (!canListProcesses) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readIfRunning(`/proc/${pid}/environ`).includes(text))
    .map((pid) => ({
      pid: Number(pid),
      command: readIfRunning(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim(),
    }))
    .filter(({ command }) => command !== ""); // A zombie has no command.
}

/** Returns an empty string for a process that has ended, or that belongs to another user. */
function readIfRunning(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

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
