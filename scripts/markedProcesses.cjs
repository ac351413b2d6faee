// @ts-check
/** Finds and ends processes by a text in their environment, which child processes inherit. Needs /proc. */
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const process = require("node:process");
const { setTimeout: sleep } = require("node:timers/promises");

const canListProcesses = fs.existsSync("/proc/self/environ");

/**
 * Lists the other processes whose environment contains a text that is unique to them.
 * @param {string} mark
 * @returns {{ pid: number, command: string }[]}
 */
function processesWith(mark) {
  if (!canListProcesses) return [];
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readIfRunning(`/proc/${pid}/environ`).includes(mark))
    .map((pid) => ({
      pid: Number(pid),
      command: readIfRunning(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim(),
    }))
    .filter(({ command }) => command !== ""); // A zombie has no command.
}

/**
 * Kills these processes. Returns those that were still running.
 * @param {string} mark
 */
function endProcessesWith(mark) {
  return processesWith(mark).filter(({ pid }) => endProcess(pid));
}

/**
 * Waits for these processes, and kills those that do not end by themselves. They would keep the output of a run open.
 * @param {string} mark
 */
async function endLeftProcesses(mark) {
  const deadline = Date.now() + 5000;
  while (processesWith(mark).length > 0 && Date.now() < deadline) await sleep(100);
  return endProcessesWith(mark);
}

/**
 * Kills these processes when this process has ended, even by SIGKILL. Starts a process that waits for the end of its
 * input.
 * @param {string} mark
 */
function endWithThisProcess(mark) {
  if (!canListProcesses) return;
  const child = spawn(process.execPath, [__filename, mark], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
}

/**
 * Kills a process. Returns false if it has ended.
 * @param {number} pid
 */
function endProcess(pid) {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

/**
 * Returns an empty string for a process that has ended, or that belongs to another user.
 * @param {string} file
 */
function readIfRunning(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

module.exports = {
  canListProcesses,
  processesWith,
  endProcessesWith,
  endLeftProcesses,
  endWithThisProcess,
  endProcess,
  readIfRunning,
};

if (require.main === module) {
  process.stdin.resume().once("close", () => endProcessesWith(String(process.argv[2])));
}
