// @ts-check
/** Runs the tests that run in process, in a copy of the checkout, and finds those that fail. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { testEnvironment } from "../../scripts/environment.mjs";
import { stopSignal } from "../../scripts/processes.mjs";
import { Failure } from "../../scripts/terminal.mjs";
import { endLeftProcesses } from "../../scripts/markedProcesses.cjs";
import { filesOf } from "../../scripts/testLayers.mjs";
import { installed, root } from "../../scripts/workspace.mjs";

/** The layers of testLayers.mjs, the fastest first. */
const layersInProcess = ["in process", "fuzz, histories"];

/** Long, because a test that only runs slowly finds nothing. */
const testTimeout = 60_000;

/**
 * `files`: paths in the repository, such as tests/unit/launchers.test.ts.
 * @typedef {{ name: string, files: string[], env: NodeJS.ProcessEnv }} TestSet
 * @typedef {{ layer: string, file: string, title: string }} TestFailure
 * @typedef {{ isComplete: boolean, minutes: number }} RunOptions isComplete: runs on after a failure; minutes: the
 *   limit for one run of Mocha
 */

/**
 * Returns the layers of a checkout that run in process, with their files.
 * @param {string} folder
 * @returns {Promise<TestSet[]>}
 */
export async function testsInProcess(folder) {
  const location = pathToFileURL(path.join(folder, "scripts", "testLayers.mjs")).href;
  /** @type {typeof import("../../scripts/testLayers.mjs")} */
  const { all } = await import(location);
  return layersInProcess.map((name) => {
    const layer = all.find((each) => each.name === name);
    if (layer === undefined) throw new Failure(`${location} has no layer "${name}".`);
    const files = filesOf(layer, path.join(folder, "tests"));
    return { name, files: files.map((file) => path.relative(folder, file)), env: layer.env ?? {} };
  });
}

/**
 * Runs tests, and those that fail a second time, because a test may also fail if the machine is busy.
 * @param {string} copy
 * @param {TestSet} set
 * @param {RunOptions} options
 * @returns {Promise<TestFailure[]>} the tests that failed both times; without `isComplete` not all of them
 */
export async function failuresIn(copy, set, options) {
  if (set.files.length === 0) return [];
  const first = await runMocha(copy, set, options);
  if (first.length === 0) return [];
  const suspects = [...new Set(first.map(({ file }) => file))];
  const second = await runMocha(copy, { ...set, files: suspects }, options);
  if (second.length > 0 || options.isComplete) return second;
  // The first failure ended the run, but its file has passed now. So the others have to run again.
  const others = set.files.filter((file) => !suspects.includes(file));
  return failuresIn(copy, { ...set, files: others }, options);
}

/**
 * @param {string} copy
 * @param {TestSet} set
 * @param {RunOptions} options
 * @returns {Promise<TestFailure[]>}
 * @throws {Failure} if the run has to be stopped before a test fails
 */
async function runMocha(copy, { name, files, env }, { isComplete, minutes }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "clouddb-planted-bugs-run-"));
  const [failuresFile, logFile] = [path.join(folder, "failures"), path.join(folder, "log")];
  fs.writeFileSync(failuresFile, "");
  const log = fs.openSync(logFile, "w");
  const mark = randomUUID();
  try {
    const args = [
      installed("mocha/bin/mocha.js"),
      ...["--require", path.join(copy, "scripts", "transpile.cjs")],
      ...["--reporter", path.join(root, "quality", "plantedBugs", "failureReporter.cjs")],
      ...["--reporter-option", `failuresFile=${failuresFile}`],
      ...["--timeout", String(testTimeout), "--exit"],
      ...(isComplete ? [] : ["--bail"]),
      ...(files.length > 1 ? ["--parallel", "--jobs", String(os.availableParallelism())] : []),
      ...files,
    ];
    const child = spawn(process.execPath, args, {
      cwd: copy,
      env: { ...testEnvironment(undefined), ...env, TEST_RUN: mark },
      stdio: ["ignore", log, log],
      timeout: minutes * 60_000,
      killSignal: "SIGKILL",
    });
    const stop = () => child.kill("SIGKILL");
    stopSignal.addEventListener("abort", stop);
    /** @type {number | null} null: the run was stopped */
    const code = await new Promise((resolve, reject) => {
      child.once("error", reject).once("exit", resolve);
    });
    stopSignal.removeEventListener("abort", stop);
    stopSignal.throwIfAborted();
    const failures = fs
      .readFileSync(failuresFile, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
      .map(({ file, title }) => ({ layer: name, file: path.relative(copy, file), title }));
    if (code === 0 || failures.length > 0) return failures;
    const reason = code === null ? `was stopped after ${minutes} minutes` : `ended with ${code}`;
    const lines = fs.readFileSync(logFile, "utf8").trim().split("\n").slice(0, 10).join("\n");
    throw new Failure(`The run of ${name} (${files.length} files) ${reason}: ${lines}`.trim());
  } finally {
    fs.closeSync(log);
    await endLeftProcesses(mark);
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
