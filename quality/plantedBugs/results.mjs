// @ts-check
/** What became of the planted bugs, as lines of the terminal, as Markdown and as JSON. */
import fs from "node:fs";
import { duration, say } from "../../scripts/terminal.mjs";

/**
 * `failures`: the tests that catch the bug; `problem`: why it could not be planted, or not all of its tests be run.
 * @typedef {{ bug: import("./copy.mjs").Bug, failures: import("./tests.mjs").TestFailure[], problem: string | undefined,
 *   seconds: number }} Result
 */

/** @param {Result} result */
function outcome({ failures, problem }) {
  if (failures.length > 0) return "caught";
  return problem === undefined ? "survived" : "not measured";
}

/**
 * Returns a line about a bug.
 * @param {Result} result
 */
export function describe(result) {
  const { bug, problem, seconds } = result;
  const by = [...filesOf(result), ...(problem === undefined ? [] : [problem])].join(", ");
  return `${bug.id} ${outcome(result)} in ${duration(seconds * 1000)}: ${by || bug.what}`;
}

/** @param {Result} result */
function filesOf({ failures }) {
  return [...new Set(failures.map(({ file }) => file))];
}

/**
 * Writes the results so far, so that an interrupted run keeps them.
 * @param {Result[]} results
 * @param {string[]} files
 */
export function write(results, files) {
  const rows = results.map((result) => {
    const { bug, problem } = result;
    const by = filesOf(result).join("<br>") || problem?.split("\n")[0] || "nothing";
    return `| ${bug.id} | ${bug.what} | ${bug.file} | ${by} |\n`;
  });
  const table = `| bug | what it breaks | planted in | caught by |\n|---|---|---|---|\n${rows.join("")}`;
  const data = results.map((result) => ({ ...result, outcome: outcome(result) }));
  for (const file of files) {
    fs.writeFileSync(file, file.endsWith(".json") ? `${JSON.stringify(data, null, 2)}\n` : table);
  }
}

/**
 * Prints the bugs that no test catches, and the total.
 * @param {Result[]} results
 * @param {number} ms
 * @returns {number} the exit code
 */
export function summarize(results, ms) {
  const caught = results.filter((result) => outcome(result) === "caught");
  for (const result of results) if (!caught.includes(result)) say(describe(result));
  const [notMeasured, survived] = ["not measured", "survived"].map(
    (each) => results.filter((result) => outcome(result) === each).length,
  );
  say(`Total in ${duration(ms)}${notMeasured ? `, ${notMeasured} not measured` : ""}:`);
  process.stdout.write(`${caught.length} caught, ${survived} survived\n`);
  return caught.length === results.length ? 0 : 1;
}
