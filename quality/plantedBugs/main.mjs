// @ts-check
/** Plants each bug of bugs.jsonl in a copy of the checkout, and runs the tests until one of them catches it. */
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { prepare } from "../../scripts/firstRun/index.mjs";
import { stopSignal } from "../../scripts/processes.mjs";
import { Failure, command, say } from "../../scripts/terminal.mjs";
import { root } from "../../scripts/workspace.mjs";
import { copyCheckout, plant, plantedText } from "./copy.mjs";
import { describe, summarize, write } from "./results.mjs";
import { failuresIn, testsInProcess } from "./tests.mjs";

const bugsFile = path.join(root, "quality", "plantedBugs", "bugs.jsonl");

const help = `
node quality/plantedBugs/main.mjs [options]    plants known bugs, one at a time, and expects a test to fail

For each row of quality/plantedBugs/bugs.jsonl, runs the test files that the row names. If none of them fails, runs all
tests that run in process: unit, lifecycles in process, fuzz, histories. HISTORY_COUNT and FUZZ_RUNS change how many
histories and inputs these have. A test counts if it fails twice with the bug, and passes without it.

  --only p01,p02       only these rows
  --dry-run            only checks that each bug can be planted; runs no test
  --jobs 2             how many rows run at once (default: 1); each run of Mocha uses all processors
  --all-tests          runs all tests for each row, and does not stop at the first that fails
  --minutes 8          the limit for one run of Mocha (default: 8)
  --checkout <folder>  plants in another checkout of this repository, whose packages are built
  --write <file>       also writes a Markdown table, or the results as JSON if the file ends with .json; repeatable

The exit code is 1 if a bug survives, or cannot be planted. The last line is the total: N caught, N survived.`;

/**
 * @typedef {import("./copy.mjs").Bug} Bug
 * @typedef {import("./tests.mjs").TestSet} TestSet
 * @typedef {import("./tests.mjs").TestFailure} TestFailure
 * @typedef {import("./results.mjs").Result} Result
 * @typedef {{ jobs: number, minutes: number, isComplete: boolean, isDryRun: boolean, checkout: string,
 *   written: string[] }} Options
 * @typedef {{ layers: TestSet[], passes: (set: TestSet) => Promise<void>, options: Options }} Run passes: throws a Failure
 *   if tests fail without a bug
 */

await command(help, async (args) => {
  const { bugs, options } = parse(args);
  if (options.isDryRun) return check(bugs, options.checkout);
  if (options.checkout === root) await prepare();
  const started = Date.now();
  const copies = Array.from({ length: options.jobs + 1 }, () => copyCheckout(options.checkout));
  /** @type {Map<string, Result>} */
  const results = new Map();
  try {
    const [unplanted = "", ...planted] = copies;
    const layers = await testsInProcess(unplanted);
    const passes = passesWithoutBug(unplanted, options);
    const run = { layers, passes, options };
    const named = new Set(bugs.flatMap(({ tests }) => tests));
    for (const layer of layers) await passes(only(layer, (file) => named.has(file)));
    const waiting = [...bugs];
    const work = async (/** @type {string} */ copy) => {
      for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
        const result = await measure(bug, copy, run);
        results.set(bug.id, result);
        say(`${results.size}/${bugs.length}  ${describe(result)}`);
        write(
          bugs.flatMap(({ id }) => results.get(id) ?? []),
          options.written,
        );
      }
    };
    await Promise.all(planted.map(work));
  } finally {
    for (const folder of copies) fs.rmSync(folder, { recursive: true, force: true });
  }
  return summarize([...results.values()], Date.now() - started);
});

/**
 * @param {string[]} args
 * @returns {{ bugs: Bug[], options: Options }}
 * @throws {Failure} if an option is wrong
 */
function parse(args) {
  const values = optionsIn(args);
  const [jobs, minutes] = [Number(values.jobs), Number(values.minutes)];
  if (!Number.isInteger(jobs) || jobs < 1) throw new Failure("--jobs must be a number above 0.");
  if (!(minutes > 0)) throw new Failure("--minutes must be a number above 0.");
  /** @type {Bug[]} */
  const rows = fs
    .readFileSync(bugsFile, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  const only = values.only?.split(",") ?? rows.map(({ id }) => id);
  const unknown = only.filter((id) => !rows.some((row) => row.id === id));
  if (unknown.length > 0) throw new Failure(`${bugsFile} has no row ${unknown.join(", ")}.`);
  return {
    bugs: rows.filter(({ id }) => only.includes(id)),
    options: {
      ...{ jobs, minutes, isComplete: values["all-tests"], isDryRun: values["dry-run"] },
      written: values.write,
      checkout: path.resolve(values.checkout),
    },
  };
}

/** @param {string[]} args */
function optionsIn(args) {
  try {
    return parseArgs({
      args,
      options: {
        only: { type: "string" },
        jobs: { type: "string", default: "1" },
        minutes: { type: "string", default: "8" },
        "dry-run": { type: "boolean", default: false },
        "all-tests": { type: "boolean", default: false },
        checkout: { type: "string", default: root },
        write: { type: "string", multiple: true, default: [] },
      },
    }).values;
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : String(error)}\n${help}`, 2);
  }
}

/**
 * Checks that each bug can be planted.
 * @param {Bug[]} bugs
 * @param {string} checkout
 * @returns {number} the exit code
 */
function check(bugs, checkout) {
  const problems = bugs.flatMap((bug) => {
    try {
      plantedText(checkout, bug);
      return [];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [error.message];
    }
  });
  for (const problem of problems) say(problem);
  const count = bugs.length - problems.length;
  process.stdout.write(`${count} can be planted, ${problems.length} cannot\n`);
  return problems.length === 0 ? 0 : 1;
}

/**
 * @param {TestSet} layer
 * @param {(file: string) => boolean} isWanted
 * @returns {TestSet}
 */
function only(layer, isWanted) {
  return { ...layer, files: layer.files.filter(isWanted) };
}

/**
 * Returns a function that runs tests without a bug, and throws a Failure if one fails. It runs the same set once.
 * @param {string} copy
 * @param {Options} options
 * @returns {(set: TestSet) => Promise<void>}
 */
function passesWithoutBug(copy, options) {
  /** @type {Map<string, Promise<void>>} */
  const runs = new Map();
  return (set) => {
    const key = set.files.join();
    const run = runs.get(key) ?? expectPass(copy, set, options);
    runs.set(key, run);
    return run;
  };
}

/**
 * @param {string} copy
 * @param {TestSet} set
 * @param {Options} options
 */
async function expectPass(copy, set, options) {
  if (set.files.length > 0) say(`Without a bug: ${set.name}, ${set.files.length} files`);
  const failures = await failuresIn(copy, set, { ...options, isComplete: true });
  if (failures.length === 0) return;
  const titles = failures.map(({ file, title }) => `\n  ${file}: ${title}`).join("");
  throw new Failure(`Tests fail without a planted bug, so they show nothing:${titles}`);
}

/**
 * @param {Bug} bug
 * @param {string} copy
 * @param {Run} run
 * @returns {Promise<Result>}
 */
async function measure(bug, copy, run) {
  const started = Date.now();
  /** @type {TestFailure[]} */
  const failures = [];
  /** @type {string | undefined} */
  let problem;
  try {
    const unknown = bug.tests.filter(
      (file) => !run.layers.some(({ files }) => files.includes(file)),
    );
    if (unknown.length > 0)
      throw new Failure(`no test that runs in process: ${unknown.join(", ")}`);
    const restore = plant(copy, bug);
    try {
      await findFailures(failures, bug, copy, run);
    } finally {
      restore();
    }
  } catch (error) {
    stopSignal.throwIfAborted();
    problem = error instanceof Error ? error.message : String(error);
  }
  return { bug, failures, problem, seconds: Math.round((Date.now() - started) / 1000) };
}

/**
 * Runs the tests that the row of a planted bug names, then all others.
 * @param {TestFailure[]} failures gets the failures of each layer, which so are known even if a later one has to be
 *   stopped
 * @param {Bug} bug
 * @param {string} copy
 * @param {Run} run
 */
async function findFailures(failures, { tests }, copy, { layers, passes, options }) {
  for (const layer of layers) {
    if (failures.length > 0 && !options.isComplete) return;
    const named = only(layer, (file) => tests.includes(file));
    failures.push(...(await failuresIn(copy, named, options)));
  }
  for (const layer of layers) {
    if (failures.length > 0 && !options.isComplete) return;
    await passes(layer);
    const others = only(layer, (file) => !tests.includes(file));
    failures.push(...(await failuresIn(copy, others, options)));
  }
}
