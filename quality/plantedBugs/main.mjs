// @ts-check
/** Plants each bug of bugs.jsonl in a copy of the checkout, and expects the tests of its row to fail. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { testEnvironment } from "../../scripts/environment.mjs";
import { prepare } from "../../scripts/firstRun/index.mjs";
import { endProcessesWith } from "../../scripts/markedProcesses.cjs";
import { stopSignal } from "../../scripts/processes.mjs";
import { Failure, command, say } from "../../scripts/terminal.mjs";
import { installed, root } from "../../scripts/workspace.mjs";
import { copyCheckout, plant, plantedText } from "./copy.mjs";

/** @import { Bug } from "./copy.mjs" */

const bugsFile = path.join(root, "quality", "plantedBugs", "bugs.jsonl");

/** Long, because a test that only runs slowly finds nothing. */
const testTimeout = 60_000;
/** A bug can keep a test from ending. Zero would be no limit. */
const maxTime = 480_000;

const help = `
node quality/plantedBugs/main.mjs    plants known bugs, one at a time, and expects a test to fail

  --only p01,p02      only these rows of quality/plantedBugs/bugs.jsonl
  --dry-run           only checks that each bug can be planted and its tests exist; runs no test

The exit code is 1 if a bug survives. The last line is the total: N caught, N survived.`;

await command(help, async (args) => {
  const { only, "dry-run": isDryRun } = optionsIn(args);
  const bugs = rows(only);
  if (isDryRun) return check(bugs);
  await prepare();
  const copy = copyCheckout();
  try {
    const failures = await failuresOf(copy, 0, [...new Set(bugs.flatMap((bug) => bug.tests))]);
    if (failures.length > 0) {
      throw new Failure(
        `Tests fail without a planted bug, so they show nothing:\n${failures.join("\n")}`,
      );
    }
    const survived = [];
    for (const bug of bugs) {
      const restore = await plant(copy, bug);
      const [failure] = await failuresOf(copy, maxTime, bug.tests, "--bail", ...titlesOf(bug));
      restore();
      if (failure === undefined) survived.push(bug.id);
      say(`${bug.id}  ${failure === undefined ? `survives: ${bug.what}` : `caught by ${failure}`}`);
    }
    process.stdout.write(`${bugs.length - survived.length} caught, ${survived.length} survived\n`);
    return survived.length === 0 ? 0 : 1;
  } finally {
    fs.rmSync(copy, { recursive: true, force: true });
  }
});

/** @param {string[]} args */
function optionsIn(args) {
  try {
    return parseArgs({
      args,
      options: {
        only: { type: "string" },
        "dry-run": { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : String(error)}\n${help}`, 2);
  }
}

/**
 * Reads the rows, or some of them.
 * @param {string | undefined} only
 * @returns {Bug[]}
 */
function rows(only) {
  /** @type {Bug[]} */
  const all = fs
    .readFileSync(bugsFile, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  if (only === undefined) return all;
  return only.split(",").map((id) => {
    const row = all.find((bug) => bug.id === id);
    if (row === undefined) throw new Failure(`${bugsFile} has no row ${id}.`);
    return row;
  });
}

/**
 * Checks that each bug has an ID of its own and can be planted, and that its tests exist: Mocha would only warn about one that does not.
 * @param {Bug[]} bugs
 * @returns {number} the exit code
 */
function check(bugs) {
  const problems = bugs.flatMap((bug) => {
    try {
      plantedText(root, bug);
      const same = bugs.filter(({ id }) => id === bug.id);
      if (same.length > 1) return [`${bugsFile} has ${same.length} rows ${bug.id}.`];
      return bug.tests
        .filter((test) => !fs.existsSync(path.join(root, test)))
        .map((test) => `The row ${bug.id} of ${bugsFile} names ${test}, which does not exist.`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [error.message];
    }
  });
  for (const problem of problems) say(problem);
  process.stdout.write(`${bugs.length} planted bugs, ${problems.length} problems\n`);
  return problems.length === 0 ? 0 : 1;
}

/**
 * Returns the option of Mocha that selects the tests of a statement, whose titles end with it: `... [2.6 rule 4, 7.1]`.
 * @param {Bug} bug
 * @returns {string[]}
 */
function titlesOf({ statement }) {
  if (statement === undefined) return [];
  return ["--grep", `(?:\\[|, )${statement.replaceAll(".", "\\.")}(?:, [^\\]]*)?\\]$`];
}

/**
 * Runs tests in a copy, in process.
 * @param {string} copy
 * @param {number} timeout
 * @param {string[]} tests
 * @param {...string} options of Mocha
 * @returns {Promise<string[]>} the tests that failed, or why the run ended early
 */
async function failuresOf(copy, timeout, tests, ...options) {
  const report = path.join(copy, "failures.json");
  fs.rmSync(report, { force: true });
  const args = [
    installed("mocha/bin/mocha.js"),
    "--no-config",
    "--require",
    path.join(copy, "scripts", "transpile.cjs"),
    "--reporter",
    "json",
    "--reporter-option",
    `output=${report}`,
    "--timeout",
    String(testTimeout),
    "--exit",
    ...options,
    ...(tests.length > 1 ? ["--parallel", "--jobs", String(os.availableParallelism())] : []),
    ...tests,
  ];
  const mark = randomUUID();
  const env = { TESTED_PROVIDER: "lifecycles", TEST_RUN: mark };
  try {
    await promisify(execFile)(process.execPath, args, {
      cwd: copy,
      env: { ...testEnvironment(undefined), ...env },
      maxBuffer: Infinity,
      timeout,
      killSignal: "SIGKILL",
      signal: stopSignal,
    });
    return [];
  } catch (error) {
    stopSignal.throwIfAborted();
    if (!fs.existsSync(report)) return [error instanceof Error ? error.message : String(error)];
    // A failure outside of a test has no file.
    /** @type {{ failures: { file?: string, fullTitle: string }[] }} */
    const { failures } = JSON.parse(fs.readFileSync(report, "utf8"));
    return failures.map(
      ({ file = copy, fullTitle }) => `${path.relative(copy, file)}: ${fullTitle}`,
    );
  } finally {
    endProcessesWith(mark);
  }
}
