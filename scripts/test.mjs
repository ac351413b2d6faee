// @ts-check
/** `npm test` and `npm run test:<layer>`: runs the checks and the test layers, and sums the results. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { bootstrap, findPulumiCli } from "./bootstrap/index.mjs";
import { runChecks } from "./checks.mjs";
import { coverageEnvironment, reportCoverage, resetCoverage } from "./coverage/coverage.mjs";
import { command } from "./terminal/command.mjs";
import { testEnvironment } from "./environment.mjs";
import { bold, say } from "./terminal/console.mjs";
import { Failure } from "./terminal/failure.mjs";
import { run } from "./terminal/run.mjs";
import { installed, root } from "./workspace.mjs";

const help = `
npm test                                     lint, format, imports, types and every test layer
npm test -- --full                           all tests; npm test runs a sample of the repeated ones
npm run test:unit -- tests/unit/x.test.ts    one layer, or some of its files
npm run test:engine -- --grep "in preview"   passes other arguments to Mocha
npm run coverage                             the layers unit and plugin, whose coverage is measured

Layers: unit, protocol (the provider process, without an engine), fuzz (hostile input), plugin (the
provider plugin, without an engine), engine (the real Pulumi CLI), fleet (many stacks, several machines),
package (the packed tarballs). Files run side by side. npm test writes the coverage of the packages to
coverage/index.html, and fails below the thresholds of .c8rc.json. The last line is the total: N passed, N failed.`;

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** How many test files run at once. They wait for processes more than they compute. */
const jobs = os.availableParallelism() + 1;

/**
 * Test layers in the order they run. The timeout applies to each test, in milliseconds. `sample` is what
 * `npm test` runs of a layer; a layer on its own runs all of it. `isMeasured`: whether its coverage counts.
 * @typedef {{ name: string, folders: string[], sample?: string[], timeout: number, needsCli: boolean,
 *   isMeasured?: boolean, env: NodeJS.ProcessEnv }} Layer
 * @type {Layer[]}
 */
const layers = [
  {
    name: "unit",
    folders: ["unit"],
    timeout: 30_000,
    needsCli: false,
    isMeasured: true,
    env: {},
  },
  {
    name: "protocol",
    folders: ["protocol"],
    // The layer plugin runs the others, which test the same lifecycles.
    sample: [
      "protocol/session",
      "protocol/privateIpMode/lifecycle.test.ts",
      "protocol/clusterConnectionStrings/lifecycle.test.ts",
      "protocol/foreignServices/outputValues.test.ts",
    ],
    timeout: 60_000,
    needsCli: false,
    env: {},
  },
  { name: "fuzz", folders: ["fuzz"], timeout: 60_000, needsCli: false, env: {} },
  {
    name: "plugin",
    // The plugin serves the same lifecycles, so it must pass the same tests.
    folders: [
      "plugin",
      "protocol/clusterConnectionStrings",
      "protocol/foreignServices",
      "protocol/privateIpMode",
    ],
    timeout: 60_000,
    needsCli: false,
    isMeasured: true,
    env: { TESTED_PROVIDER: "plugin" },
  },
  { name: "engine", folders: ["engine"], timeout: 300_000, needsCli: true, env: {} },
  { name: "fleet", folders: ["fleet"], timeout: 300_000, needsCli: true, env: {} },
  { name: "package", folders: ["package"], timeout: 300_000, needsCli: true, env: {} },
];

const measured = layers.filter(({ isMeasured }) => isMeasured === true);

await command(help, async (args) => {
  const isFull = args.includes("--full");
  const { selected, mochaArgs } = parse(args.filter((arg) => arg !== "--full"));
  if (isFull && selected !== layers) {
    throw new Failure(
      "--full is for npm test without a layer: a layer on its own runs all of its tests.",
    );
  }
  await bootstrap();
  const bin = selected.some((layer) => layer.needsCli) ? await findPulumiCli() : undefined;

  /** @type {Counts} */
  const total = { passed: 0, failed: 0, skipped: 0 };
  let testsRun = 0;
  if (selected === layers) add(total, { ...(await runChecks()), skipped: 0 });
  const isMeasured = measured.every((layer) => selected.includes(layer)) && mochaArgs.length === 0;
  if (isMeasured) resetCoverage();
  for (const layer of selected) {
    const isSample = selected === layers && !isFull;
    const tested = isSample ? { ...layer, folders: layer.sample ?? layer.folders } : layer;
    const env = {
      ...testEnvironment(bin),
      ...layer.env,
      ...(isSample ? { TEST_SAMPLE: "1" } : {}),
      ...(isMeasured && layer.isMeasured === true ? coverageEnvironment() : {}),
    };
    const counts = await runLayer(tested, mochaArgs, env);
    add(total, counts);
    testsRun += counts.passed + counts.failed;
  }
  if (isMeasured) add(total, { ...(await reportCoverage()), skipped: 0 });
  if (testsRun === 0) say("No test ran.");
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
  process.stdout.write(`${total.passed} passed, ${total.failed} failed${skipped}\n`);
  return total.failed === 0 && testsRun > 0 ? 0 : 1;
});

/** @param {string[]} args */
function parse(args) {
  const missing = args.find((arg) => namesTests(arg) && !fs.existsSync(arg));
  if (missing !== undefined) throw new Failure(`There is no test file ${missing}.`);
  const [first = "", ...rest] = args;
  if (first === "" || first.startsWith("-")) return { selected: layers, mochaArgs: args };
  if (first === "coverage") return { selected: measured, mochaArgs: rest };
  const layer = layers.find(({ name }) => name === first);
  if (layer) return { selected: [layer], mochaArgs: rest };
  const layerOfFile = layers.find(({ name }) => path.resolve(first).startsWith(folderOf(name)));
  if (layerOfFile) return { selected: [layerOfFile], mochaArgs: args };
  throw new Failure(`Unknown test layer: ${first}\n${help}`);
}

/**
 * Returns whether an argument is a test file or a folder of tests, rather than an option of Mocha or
 * its value.
 * @param {string} arg
 */
function namesTests(arg) {
  const isBelowTests = path.resolve(arg).startsWith(path.join(root, "tests") + path.sep);
  return !arg.startsWith("-") && (isBelowTests || arg.endsWith(".test.ts"));
}

/** @param {string} arg */
function isTestFolder(arg) {
  return namesTests(arg) && fs.statSync(arg).isDirectory();
}

/** @param {string} layer */
function folderOf(layer) {
  return path.join(root, "tests", layer) + path.sep;
}

/**
 * @param {Layer} layer
 * @param {string[]} mochaArgs
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Counts>}
 */
async function runLayer({ name, folders, timeout }, mochaArgs, env) {
  const namesFiles = mochaArgs.some(namesTests);
  const tests = path.join(root, "tests");
  const specs = namesFiles ? [] : folders.flatMap((each) => testsIn(path.join(tests, each)));
  if (!namesFiles && specs.length === 0) {
    say(`${bold(name)}: no tests`);
    return { passed: 0, failed: 0, skipped: 0 };
  }
  say(bold(name));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "clouddb-tests-"));
  const countsFile = path.join(folder, "counts.json");
  try {
    const args = [
      installed("mocha/bin/mocha.js"),
      ...["--require", "ts-node/register"],
      ...["--reporter", path.join(root, "scripts", "counting-reporter.cjs")],
      ...["--reporter-option", `countsFile=${countsFile}`],
      // Mocha would also use colors in CI logs.
      ...(process.stdout.isTTY && process.stdout.hasColors() ? [] : ["--no-color"]),
      ...(mochaArgs.includes("--timeout") ? [] : ["--timeout", String(timeout)]),
      ...(specs.length > 1 ? ["--parallel", "--jobs", String(jobs)] : []),
      ...mochaArgs.flatMap((arg) => (isTestFolder(arg) ? testsIn(arg) : arg)),
      ...specs,
    ];
    const code = await run(process.execPath, args, { cwd: root, env });
    return countsOf(countsFile, code);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the test files in a folder, or the file itself.
 * @param {string} location
 */
function testsIn(location) {
  if (fs.statSync(location).isFile()) return [location];
  return fs
    .readdirSync(location, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.join(location, name))
    .sort();
}

/**
 * @param {string} countsFile
 * @param {number} code Mocha's exit code
 * @returns {Counts}
 */
function countsOf(countsFile, code) {
  /** @type {Counts} */
  const counts = fs.existsSync(countsFile)
    ? JSON.parse(fs.readFileSync(countsFile, "utf8"))
    : { passed: 0, failed: 0, skipped: 0 };
  // Mocha does not count a file that cannot be loaded or a process that died.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

/**
 * @param {Counts} total
 * @param {Counts} counts
 */
function add(total, counts) {
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
