// @ts-check
/** `npm test` and `npm run test:all`: run the checks and the layers of testLayers.mjs, and sum the results. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { runChecks } from "./checks.mjs";
import { coverageEnvironment, reportCoverage, resetCoverage } from "./coverage/coverage.mjs";
import { testEnvironment } from "./environment.mjs";
import { prepare, prepareWithCli } from "./firstRun/index.mjs";
import { runMarked } from "./processes.mjs";
import { Failure, bold, command, duration, say } from "./terminal.mjs";
import { all, everyCommit, filesIn, filesOf, rehearsals } from "./testLayers.mjs";
import { installed, root } from "./workspace.mjs";

const help = `
npm test                                   what to run before a commit: checks, unit, the lifecycles in
                                           process, histories, and the main jobs on the real engine
npm test -- tests/unit/x.test.ts           the tests in files or folders
npm test -- tests/engine --grep preview    passes other arguments to Mocha
npm test -- --rehearsals                   a release to local registries, and the examples in CI systems
npm run test:all                           checks and every layer except the rehearsals; measures the coverage
npm run coverage                           the layers whose coverage is measured; writes coverage/index.html,
                                           and fails below the thresholds of package.json

scripts/testLayers.mjs lists the layers. The last line is the total: N passed, N failed.`;

/**
 * `failures`: the titles of the failed tests.
 * @typedef {{ passed: number, skipped: number, failures: string[] }} Result
 * @typedef {import("./testLayers.mjs").Layer} Layer
 */

const tests = path.join(root, "tests");

await command(help, async (args) => {
  const { layers, hasChecks = false, isMeasured = false, mochaArgs = [] } = parse(args);
  const needsCli = layers.some((layer) => layer.needsCli === true);
  const bin = needsCli ? await prepareWithCli() : await prepare().then(() => undefined);
  const started = Date.now();
  /** @type {Result[]} */
  const results = [];
  const add = async (/** @type {string} */ name, /** @type {() => Promise<Result>} */ work) => {
    const begun = Date.now();
    say(bold(name));
    const result = await work();
    const { passed, skipped, failures } = result;
    const counts = `${passed} passed, ${failures.length} failed, ${skipped} skipped`;
    say(`${bold(name)}: ${counts} in ${duration(Date.now() - begun)}`);
    results.push({ ...result, failures: failures.map((title) => `${name}: ${title}`) });
  };
  if (hasChecks) await add("checks", runChecks);
  if (isMeasured) resetCoverage();
  for (const layer of layers) {
    const coverage = isMeasured && layer.isMeasured === true ? coverageEnvironment() : {};
    const env = { ...layer.env, ...testEnvironment(bin), ...coverage };
    await add(layer.name, () => runLayer(layer, mochaArgs, env));
  }
  if (isMeasured) await add("coverage", reportCoverage);
  const failures = results.flatMap((result) => result.failures);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  if (failures.length > 0) say(["Failed:", ...failures].join("\n  "));
  if (passed + failures.length === 0) say("No test ran.");
  say(`Total in ${duration(Date.now() - started)}:`);
  process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
  return passed > 0 && failures.length === 0 ? 0 : 1;
});

/**
 * @param {string[]} args
 * @returns {{ layers: Layer[], hasChecks?: boolean, isMeasured?: boolean, mochaArgs?: string[] }}
 */
function parse(args) {
  if (args.length === 0) return { layers: [everyCommit], hasChecks: true };
  const [first] = args;
  if (args.length === 1 && first === "--rehearsals") return { layers: [rehearsals] };
  if (args.length === 1 && first === "all") {
    return { layers: all, hasChecks: true, isMeasured: true };
  }
  if (args.length === 1 && first === "coverage") {
    return { layers: all.filter((layer) => layer.isMeasured === true), isMeasured: true };
  }
  const named = args.filter(namesTests);
  const missing = named.find((arg) => !fs.existsSync(arg));
  if (missing !== undefined) throw new Failure(`There is no test file ${missing}.`);
  if (named.length === 0) throw new Failure(`Expected a file or a folder in tests/.\n${help}`);
  const wanted = new Set(named.flatMap((file) => filesIn(path.resolve(file))));
  const layers = [...all, rehearsals].map((layer) => {
    const files = filesOf(layer, tests).filter((file) => wanted.has(file));
    return { ...layer, files: files.map((file) => path.relative(tests, file)), except: [] };
  });
  return {
    layers: layers.filter(({ files }) => files.length > 0),
    mochaArgs: args.filter((arg) => !namesTests(arg)),
  };
}

/**
 * Returns whether an argument is a test file or a folder of tests, rather than an option of Mocha or its value.
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
  const specs = filesOf(layer, tests);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "clouddb-tests-"));
  const resultFile = path.join(folder, "result.json");
  // Test files often wait, for other processes or for time to pass.
  const jobs = String(os.availableParallelism() * 2);
  const args = [
    installed("mocha/bin/mocha.js"),
    // .mocharc.json is for runs without this command.
    "--no-config",
    "--require",
    path.join(root, "scripts", "transpile.cjs"),
    "--require",
    path.join(root, "scripts", "unhandledRejections.cjs"),
    "--reporter",
    path.join(root, "scripts", "testReporter.cjs"),
    "--reporter-option",
    `resultFile=${resultFile}`,
    // Mocha would also use colors in CI logs.
    ...(process.stdout.isTTY && process.stdout.hasColors() ? [] : ["--no-color"]),
    "--timeout",
    String(layer.timeout),
    ...(specs.length > 1 ? ["--parallel", "--jobs", jobs] : []),
    ...mochaArgs,
    ...specs,
  ];
  try {
    const { code, left } = await runMarked(process.execPath, args, { cwd: root, env });
    /** @type {Result} */
    const result = fs.existsSync(resultFile)
      ? JSON.parse(fs.readFileSync(resultFile, "utf8"))
      : { passed: 0, skipped: 0, failures: [] };
    const { failures } = result;
    // Mocha does not count a file that cannot be loaded or a process that died.
    if (code !== 0 && failures.length === 0) failures.push(`Mocha ended with exit code ${code}`);
    for (const { pid, command } of left) {
      failures.push(`killed a process that was left behind: ${pid} ${command}`);
    }
    return result;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
