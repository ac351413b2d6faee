// @ts-check
/** `npm test` and `npm run test:all`: run the checks and the layers of testLayers.mjs, and sum the results. */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { runChecks } from "./checks.mjs";
import { coverageEnvironment, reportCoverage, resetCoverage } from "./coverage/coverage.mjs";
import { testEnvironment } from "./environment.mjs";
import { prepare, prepareWithCli } from "./firstRun/index.mjs";
import { run } from "./processes.mjs";
import { Failure, bold, command, say } from "./terminal.mjs";
import { everyCommit, filesIn, filesOf, rest } from "./testLayers.mjs";
import { endLeftProcesses, resultOf, summarize, withLeftProcesses } from "./testResults.mjs";
import { installed, root } from "./workspace.mjs";

const help = `
npm test                                   what to run before a commit: checks, unit, the lifecycles in
                                           process, and the main jobs on the real engine
npm test -- tests/unit/x.test.ts           the tests in files or folders, in every layer of test:all
npm test -- tests/engine --grep preview    passes other arguments to Mocha
npm run test:all                           npm test, and then every other layer; measures the coverage
npm run test:all -- --full                 all tests instead of samples of the repeated ones
npm run coverage                           the layers whose coverage is measured; writes coverage/index.html,
                                           and fails below the thresholds of package.json

scripts/testLayers.mjs lists the layers. The last line is the total: N passed, N failed.`;

/**
 * @typedef {import("./testResults.mjs").Result} Result
 * @typedef {import("./testLayers.mjs").Layer} Layer
 */

/**
 * How many test files run at once. They mostly wait for processes, especially those that use the CLI.
 * @param {Layer} layer
 */
function jobsFor({ needsCli = false }) {
  return os.availableParallelism() + (needsCli ? 2 : 1);
}

const tests = path.join(root, "tests");

await command(help, async (args) => {
  const options = parse(args);
  const { layers, isMeasured, isSample, mochaArgs = [], historyCount = 1200 } = options;
  const needsCli = layers.some((layer) => layer.needsCli === true);
  const bin = needsCli ? await prepareWithCli() : await prepare().then(() => undefined);
  const started = Date.now();
  /** @type {import("./testResults.mjs").NamedResult[]} */
  const results = [];
  const add = async (/** @type {string} */ name, /** @type {() => Promise<Result>} */ work) => {
    const begun = Date.now();
    results.push({ name, ...(await work()), ms: Date.now() - begun });
  };
  if (options.hasChecks) await add("checks", runChecks);
  if (isMeasured) resetCoverage();
  for (const layer of layers) {
    const env = {
      ...testEnvironment(bin),
      ...layer.env,
      ...(isSample ? { TEST_SAMPLE: "1" } : {}),
      HISTORY_COUNT: process.env["HISTORY_COUNT"] ?? String(historyCount),
      ...(isMeasured && layer.isMeasured === true ? coverageEnvironment() : {}),
    };
    await add(layer.name, () => runLayer(layer, mochaArgs, env));
  }
  const testsRun = results.reduce((sum, { passed, failed }) => sum + passed + failed, 0);
  if (isMeasured) await add("coverage", reportCoverage);
  if (testsRun === 0) say("No test ran.");
  const failed = summarize(results, Date.now() - started);
  return failed === 0 && testsRun > 0 ? 0 : 1;
});

/**
 * @param {string[]} args
 * @returns {{ layers: Layer[], hasChecks?: boolean, isMeasured?: boolean, isSample?: boolean, mochaArgs?: string[],
 *   historyCount?: number }}
 */
function parse(args) {
  const [first, ...others] = args;
  const all = [...everyCommit, ...rest];
  if (first === undefined) return { layers: everyCommit, hasChecks: true, isSample: true };
  if (first === "all" && others.every((arg) => arg === "--full")) {
    const isSample = others.length === 0;
    const historyCount = isSample ? 3600 : 36_000;
    return { layers: all, hasChecks: true, isMeasured: true, isSample, historyCount };
  }
  if (first === "coverage" && others.length === 0) {
    return { layers: all.filter((layer) => layer.isMeasured === true), isMeasured: true };
  }
  const named = args.filter(namesTests);
  const missing = named.find((arg) => !fs.existsSync(arg));
  if (missing !== undefined) throw new Failure(`There is no test file ${missing}.`);
  if (named.length === 0) throw new Failure(`Expected a file or a folder in tests/.\n${help}`);
  const wanted = new Set(named.flatMap((each) => filesIn(path.resolve(each))));
  const layers = all
    .map((layer) => {
      const files = filesOf(layer, tests).filter((file) => wanted.has(file));
      return { ...layer, files, except: [] };
    })
    .filter(({ files }) => files.length > 0);
  return { layers, mochaArgs: args.filter((arg) => !namesTests(arg)) };
}

/**
 * Returns whether an argument is a test file or a folder of tests, rather than an option of Mocha or
 * its value.
 * @param {string} arg
 */
function namesTests(arg) {
  const isInTests = `${path.resolve(arg)}${path.sep}`.startsWith(tests + path.sep);
  return !arg.startsWith("-") && (isInTests || arg.endsWith(".test.ts"));
}

/**
 * @param {Layer} layer
 * @param {string[]} mochaArgs
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Result>}
 */
async function runLayer(layer, mochaArgs, env) {
  say(bold(layer.name));
  const specs = filesOf(layer, tests);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "clouddb-tests-"));
  const resultFile = path.join(folder, "result.json");
  try {
    const args = [
      installed("mocha/bin/mocha.js"),
      ...["--require", path.join(root, "scripts", "transpile.cjs")],
      ...["--reporter", path.join(root, "scripts", "testReporter.cjs")],
      ...["--reporter-option", `resultFile=${resultFile}`],
      // Mocha would also use colors in CI logs.
      ...(process.stdout.isTTY && process.stdout.hasColors() ? [] : ["--no-color"]),
      ...["--timeout", String(layer.timeout)],
      ...(specs.length > 1 ? ["--parallel", "--jobs", String(jobsFor(layer))] : []),
      ...mochaArgs,
      ...specs,
    ];
    const mark = randomUUID();
    const code = await run(process.execPath, args, { cwd: root, env: { ...env, TEST_RUN: mark } });
    return withLeftProcesses(resultOf(resultFile, code), await endLeftProcesses(mark));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
