// @ts-check
/** Tests the mutants of a subject with Stryker. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Stryker } from "@stryker-mutator/core";

/** The root folder of the repository. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/**
 * @typedef {object} Survivor a mutant that no test noticed
 * @property {string} file
 * @property {number} line
 * @property {string} from the lines of the source, on one line
 * @property {string} to the same lines with the mutation
 *
 * @typedef {object} Result
 * @property {number} killed
 * @property {number} timeouts mutants that made a test endless, and so were noticed
 * @property {Survivor[]} survivors
 */

const fixedSeed = path.join(root, "mutation", "fixedSeed.cjs");

/** Leaves out the tests that measure the time of long inputs: code that contains mutants is slower. */
const withoutTimings = "^(?!.*(within \\d+ s|linear time))";

/**
 * @param {import("./subjects.mjs").Subject} subject
 * @returns {Promise<Result>}
 */
export async function testMutants({ files, tests }) {
  const runner = createRequire(import.meta.url).resolve("@stryker-mutator/mocha-runner");
  const stryker = new Stryker({
    mutate: files,
    plugins: [pathToFileURL(runner).href],
    testRunner: "mocha",
    mochaOptions: { spec: tests, require: ["ts-node/register", fixedSeed], grep: withoutTimings },
    // The files that the tests do not need.
    ignorePatterns: [
      ...[".clouddb", "dist", "/quality", "/docs", "/mutation", "/plugin", "/simulator"],
      "/tests/engine",
    ],
    tempDirName: ".clouddb/mutation",
    coverageAnalysis: "perTest",
    concurrency: 2,
    timeoutMS: 10_000,
    reporters: ["progress-append-only"],
    allowConsoleColors: false,
  });
  const mutants = await stryker.runMutationTest();
  const count = (/** @type {string} */ status) =>
    mutants.filter((mutant) => mutant.status === status).length;
  const survivors = mutants
    .filter(({ status }) => status === "Survived" || status === "NoCoverage")
    .map(survivorOf);
  return { killed: count("Killed"), timeouts: count("Timeout"), survivors };
}

/**
 * @param {Awaited<ReturnType<Stryker["runMutationTest"]>>[number]} mutant
 * @returns {Survivor}
 */
function survivorOf({ fileName, location: { start, end }, replacement = "" }) {
  const lines = readFileSync(fileName, "utf8").split("\n");
  const first = lines[start.line - 1] ?? "";
  const last = lines[end.line - 1] ?? "";
  const mutated = `${first.slice(0, start.column - 1)}${replacement}${last.slice(end.column - 1)}`;
  return {
    file: path.relative(root, fileName),
    line: start.line,
    from: onOneLine(lines.slice(start.line - 1, end.line).join("\n")),
    to: onOneLine(mutated),
  };
}

/** @param {string} text */
function onOneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}
