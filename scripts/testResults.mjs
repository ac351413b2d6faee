// @ts-check
/** The results of the layers of a test run, and the last lines of the run. */
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcessesWith, processesWith } from "./markedProcesses.cjs";
import { bold, duration, say } from "./terminal.mjs";

/**
 * `failures`: the titles of the failed tests.
 * @typedef {{ passed: number, failed: number, skipped: number, failures: string[],
 *   slowest: { title: string, ms: number }[] }} Result
 * @typedef {Result & { name: string, ms: number }} NamedResult
 */

/**
 * Reads the reporter's file.
 * @param {string} file
 * @param {number} code Mocha's exit code
 * @returns {Result}
 */
export function resultOf(file, code) {
  /** @type {Result} */
  const result = fs.existsSync(file)
    ? JSON.parse(fs.readFileSync(file, "utf8"))
    : { passed: 0, failed: 0, skipped: 0, failures: [], slowest: [] };
  if (code === 0 || result.failed > 0) return result;
  // Mocha does not count a file that cannot be loaded or a process that died.
  return withFailure(result, `Mocha ended with exit code ${code}`);
}

/**
 * Counts processes that a layer left behind as one failure.
 * @param {Result} result
 * @param {{ pid: number, command: string }[]} left
 * @returns {Result}
 */
export function withLeftProcesses(result, left) {
  if (left.length === 0) return result;
  const commands = left.map(({ pid, command }) => `\n    ${pid} ${command}`).join("");
  return withFailure(result, `killed processes that were left behind:${commands}`);
}

/**
 * @param {Result} result
 * @param {string} title
 * @returns {Result}
 */
function withFailure(result, title) {
  return { ...result, failed: result.failed + 1, failures: [...result.failures, title] };
}

/**
 * Waits for the processes with a mark in their environment, and kills those that do not end by themselves. They would
 * keep the output of the run open.
 * @param {string} mark
 */
export async function endLeftProcesses(mark) {
  const deadline = Date.now() + 5000;
  while (processesWith(mark).length > 0 && Date.now() < deadline) await sleep(100);
  return endProcessesWith(mark);
}

/**
 * Prints the time, the counts and the slowest tests of each layer, then the titles of all failed tests and the total.
 * @param {NamedResult[]} results
 * @param {number} ms
 * @returns {number} the number of failures
 */
export function summarize(results, ms) {
  for (const result of results) {
    const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : "";
    say(
      `${bold(result.name)}: ${result.passed} passed, ${result.failed} failed${skipped} in ${duration(result.ms)}`,
    );
    for (const { title, ms: each } of result.slowest) {
      say(`    ${(each / 1000).toFixed(1)} s  ${title}`);
    }
  }
  const [passed, failed] = [
    results.reduce((sum, each) => sum + each.passed, 0),
    results.reduce((sum, each) => sum + each.failed, 0),
  ];
  if (failed > 0) say("Failed:");
  for (const { name, failures } of results) {
    for (const title of failures) say(`  ${name}: ${title}`);
  }
  say(`Total in ${duration(ms)}:`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed;
}
