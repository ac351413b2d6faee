// @ts-check
/** Which tests `npm test` runs, and which only `npm run test:all`. Paths are relative to tests/. */
import fs from "node:fs";
import path from "node:path";

/**
 * Files that run in parallel in one run of Mocha. `files`: files and folders, without those of `except`.
 * `timeout`: for each test, in milliseconds. `isMeasured`: whether its coverage counts.
 * @typedef {{ name: string, files: string[], except?: string[], timeout: number, needsCli?: boolean,
 *   isMeasured?: boolean, env?: NodeJS.ProcessEnv }} Layer
 */

/** Unit tests that start commands, browsers or compilers. */
const slowUnits = [
  "unit/docs/codeBlocks.test.ts",
  "unit/report/command.test.ts",
  "unit/simulator/cli.test.ts",
  "unit/simulator/page.test.ts",
  "unit/simulator/pageInBrowser.test.ts",
  "unit/simulator/store.test.ts",
];

/** The tests of the lifecycles, which run in process. */
const lifecycles = [
  "lifecycles/clusterConnectionStrings",
  "lifecycles/commands",
  "lifecycles/plugin",
  "lifecycles/privateIpMode",
  "lifecycles/service",
];

/** One test of each call, which also runs in both kinds of provider process. They serve the same lifecycles. */
const inBothProcesses = [
  "lifecycles/privateIpMode/calls.test.ts",
  "lifecycles/privateIpMode/unknownOutcome.test.ts",
  "lifecycles/clusterConnectionStrings/lifecycle.test.ts",
];

/** Tests of behaviour that only a provider process has, such as a crash. */
const ofProcesses = [
  "lifecycles/commands/process.test.ts",
  "lifecycles/privateIpMode/crashes.test.ts",
  "lifecycles/service/tokens.test.ts",
];

/** The main jobs on the real engine. */
const mainJobs = [
  "engine/firstStack.test.ts",
  "engine/privateIpMode.test.ts",
  "engine/connectionStrings.test.ts",
  "engine/plugin/process.test.ts",
];

/** The longest tests on the real engine. They start first, so that no job ends long after the others. */
const longestOnEngine = [
  "engine/kills.test.ts",
  "engine/plugin/languages.test.ts",
  "engine/pullRequestCheck.test.ts",
  "engine/demoSimulator.test.ts",
];

const packedInstall = ["package/provider.test.ts"];

/**
 * The layers that `npm test` runs.
 * @type {Layer[]}
 */
export const everyCommit = [
  { name: "unit", files: ["unit"], except: slowUnits, timeout: 30_000, isMeasured: true },
  {
    name: "lifecycles in process",
    files: lifecycles,
    except: [...ofProcesses, "lifecycles/plugin/process.test.ts"],
    timeout: 60_000,
    isMeasured: true,
    env: { TESTED_PROVIDER: "lifecycles" },
  },
  { name: "histories", files: ["interleavings"], timeout: 60_000 },
  { name: "engine, main jobs", files: mainJobs, timeout: 600_000, needsCli: true },
  { name: "packed install", files: packedInstall, timeout: 600_000, needsCli: true },
];

/**
 * What `npm run test:all` runs in addition.
 * @type {Layer[]}
 */
export const rest = [
  { name: "unit, slow", files: slowUnits, timeout: 30_000, isMeasured: true },
  {
    name: "lifecycles in the process of dynamic providers",
    files: [...ofProcesses, ...inBothProcesses],
    timeout: 60_000,
    isMeasured: true,
  },
  {
    name: "lifecycles in the plugin",
    files: ["lifecycles/plugin/process.test.ts", ...inBothProcesses],
    timeout: 60_000,
    isMeasured: true,
    env: { TESTED_PROVIDER: "plugin" },
  },
  { name: "fuzz", files: ["fuzz"], timeout: 60_000 },
  {
    name: "engine",
    files: [...longestOnEngine, "engine"],
    except: mainJobs,
    timeout: 600_000,
    needsCli: true,
  },
  { name: "fleet, database", files: ["fleet", "database"], timeout: 600_000, needsCli: true },
  { name: "packages", files: ["package"], except: packedInstall, timeout: 600_000, needsCli: true },
];

/**
 * Returns the test files of a layer.
 * @param {Layer} layer
 * @param {string} tests the folder of the tests
 */
export function filesOf({ files, except = [] }, tests) {
  const excluded = new Set(except.flatMap((name) => filesIn(path.join(tests, name))));
  const all = files.flatMap((name) => filesIn(path.resolve(tests, name)));
  return [...new Set(all)].filter((file) => !excluded.has(file));
}

/**
 * Returns the test files in a folder, or the file itself.
 * @param {string} location
 */
export function filesIn(location) {
  if (fs.statSync(location).isFile()) return [location];
  return fs
    .readdirSync(location, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.join(location, name))
    .sort();
}
