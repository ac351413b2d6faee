// @ts-check
/** Measures how much of the packages' sources the tests run. */
import fs from "node:fs";
import path from "node:path";
import { run } from "../processes.mjs";
import { bold, green, red, say } from "../terminal.mjs";
import { installed, root } from "../workspace.mjs";

/** Where each process writes its coverage. */
const processes = path.join(root, "coverage", "processes");

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
    NODE_V8_COVERAGE: processes,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --require ${JSON.stringify(script)}`.trim(),
  };
}

/** Removes dependencies from the coverage of the processes, because the report would read them all. */
function keepOwnScripts() {
  const own = new RegExp(`^file://${root}/[^/]+/src/|/plugin\\.bundle\\.js$`);
  for (const name of fs.readdirSync(processes)) {
    const file = path.join(processes, name);
    const written = JSON.parse(fs.readFileSync(file, "utf8"));
    const result = written.result.filter((/** @type {{ url: string }} */ { url }) => own.test(url));
    const maps = Object.entries(written["source-map-cache"] ?? {}).filter(([url]) => own.test(url));
    const kept = { ...written, result, "source-map-cache": Object.fromEntries(maps) };
    if (result.length === 0) fs.rmSync(file);
    else fs.writeFileSync(file, JSON.stringify(kept));
  }
}

/**
 * Writes the report to coverage/, and compares the coverage with the thresholds of package.json.
 */
export async function reportCoverage() {
  keepOwnScripts();
  const args = [installed("c8/bin/c8.js"), "report"];
  const isReached = (await run(process.execPath, args, { cwd: root })) === 0;
  fs.rmSync(processes, { recursive: true, force: true });
  say(
    `${isReached ? green("passed") : red("failed")}  ${bold("coverage")}, by file in coverage/index.html`,
  );
  const failures = isReached ? [] : ["below the thresholds of package.json"];
  return { passed: 1 - failures.length, skipped: 0, failures };
}
