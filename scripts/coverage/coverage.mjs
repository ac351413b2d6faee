// @ts-check
/** Measures how much of the packages' sources the tests run. */
import fs from "node:fs";
import path from "node:path";
import { run } from "../processes.mjs";
import { bold, green, red, say } from "../terminal.mjs";
import { installed, root } from "../workspace.mjs";

/** Removes the coverage of earlier runs. */
export function resetCoverage() {
  fs.rmSync(path.join(root, "coverage"), { recursive: true, force: true });
}

/**
 * @returns {NodeJS.ProcessEnv} the variables that make a process and its child processes write their coverage
 */
export function coverageEnvironment() {
  const script = path.join(root, "scripts", "coverage", "writeOnTermination.cjs");
  return {
    NODE_V8_COVERAGE: path.join(root, "coverage", "processes"),
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --require ${JSON.stringify(script)}`.trim(),
  };
}

/** Writes the report to coverage/, and compares the coverage with the thresholds of package.json. */
export async function reportCoverage() {
  const args = [installed("c8/bin/c8.js"), "report"];
  const isReached = (await run(process.execPath, args, { cwd: root })) === 0;
  say(
    `${isReached ? green("passed") : red("failed")}  ${bold("coverage")}, by file in coverage/index.html`,
  );
  const failures = isReached ? [] : ["below the thresholds of package.json"];
  return { passed: 1 - failures.length, skipped: 0, failures };
}
