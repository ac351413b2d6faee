// @ts-check
/** Which tests `npm test`, `npm run test:all` and the rehearsals run. Paths are relative to tests/. */
import fs from "node:fs";
import path from "node:path";

/**
 * Files that run in parallel in one run of Mocha, in the order in which they start. `files`: files and folders, without
 * those of `except`. `timeout`: for each test, in milliseconds. `isMeasured`: whether its coverage counts.
 * @typedef {{ name: string, files: string[], except?: string[], timeout: number, needsCli?: boolean,
 *   isMeasured?: boolean, env?: NodeJS.ProcessEnv }} Layer
 */

/** Unit tests that start commands, browsers or compilers. */
const slowUnits = [
  "unit/connection-strings/check/process.test.ts",
  "unit/build.test.ts",
  "unit/docs/codeBlocks.test.ts",
  "unit/lintRules.test.ts",
  "unit/mochaConfig.test.ts",
  "unit/program/editor.test.ts",
  "unit/report/command.test.ts",
  "unit/simulator/cli.test.ts",
  "unit/simulator/page.test.ts",
  "unit/simulator/pageInBrowser.test.ts",
  "unit/simulator/store.test.ts",
];

/** Tests of behaviour that only a process has, such as its end by a signal. */
const ofDynamicProcesses = [
  "lifecycles/privateIpMode/suspension.test.ts",
  "lifecycles/privateIpMode/signals.test.ts",
  "lifecycles/commands/process.test.ts",
  "lifecycles/service/tokens.test.ts",
];
const ofPluginProcesses = [
  "lifecycles/privateIpMode/signals.test.ts",
  "lifecycles/plugin/process.test.ts",
];
const ofProcesses = [...ofDynamicProcesses, ...ofPluginProcesses];

/** One test of each call, which also runs in both kinds of provider process. They serve the same lifecycles. */
const inBothProcesses = [
  "lifecycles/privateIpMode/calls.test.ts",
  "lifecycles/clusterConnectionStrings/lifecycle.test.ts",
  "lifecycles/databaseUrl/lifecycle.test.ts",
];

/** The longest files of `npm test`, which start first. */
const longest = [
  "engine/firstStack.test.ts",
  "engine/plugin/process.test.ts",
  "interleavings/histories.test.ts",
  "package/provider.test.ts",
];

/**
 * The layer that `npm test` runs.
 * @type {Layer}
 */
export const everyCommit = {
  name: "tests",
  // Tests of the lifecycles mostly wait, and unit tests mostly compute, so the last files keep all processors busy.
  files: [...longest, "lifecycles", "interleavings", "unit"],
  except: [...slowUnits, ...ofProcesses],
  timeout: 300_000,
  needsCli: true,
};

/**
 * The layers that `npm run test:all` runs.
 * @type {Layer[]}
 */
export const all = [
  {
    name: "in process",
    files: [...slowUnits, "unit", "lifecycles"],
    except: ofProcesses,
    timeout: 60_000,
    isMeasured: true,
  },
  {
    name: "in the process of dynamic providers",
    files: [...ofDynamicProcesses, ...inBothProcesses],
    timeout: 60_000,
    isMeasured: true,
    env: { TESTED_PROVIDER: "dynamic" },
  },
  {
    name: "in the plugin",
    files: [...ofPluginProcesses, ...inBothProcesses],
    timeout: 60_000,
    isMeasured: true,
    env: { TESTED_PROVIDER: "plugin" },
  },
  {
    name: "histories, engine, packages, databases, clients, drivers",
    // The longest start first, so that no job ends long after the others.
    files: [
      "interleavings/histories.test.ts",
      "engine/kills.test.ts",
      "engine/plugin/languages.test.ts",
      "engine/demoSimulator.test.ts",
      "engine/recordedCalls.test.ts",
      "engine/pullRequestCheck.test.ts",
      "fleet",
      "package",
      "engine",
      "database",
      "clients",
      "drivers",
      "fuzz",
      "interleavings",
    ],
    timeout: 600_000,
    needsCli: true,
    env: { HISTORY_COUNT: "3600" },
  },
];

/**
 * The layer of `npm test -- --rehearsals`: a release, and the examples in the systems for CI. It installs tools from
 * registries, and fails if one is missing.
 * @type {Layer}
 */
export const rehearsals = {
  name: "rehearsals",
  files: ["rehearsals"],
  timeout: 1_200_000,
  needsCli: true,
};

/**
 * Returns the test files of a layer.
 * @param {Layer} layer
 * @param {string} tests the folder of the tests
 */
export function filesOf({ files, except = [] }, tests) {
  const excluded = new Set(except.flatMap((name) => filesIn(path.join(tests, name))));
  const found = files.flatMap((name) => filesIn(path.join(tests, name)));
  return [...new Set(found)].filter((file) => !excluded.has(file));
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
