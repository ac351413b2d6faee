// @ts-check
/** Runs mutation testing: `npm run mutation`. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root, testMutants } from "./mutants.mjs";
import { explain, scoreOf, section, summaryOf } from "./report.mjs";
import { subjects } from "./subjects.mjs";
import { writeSection } from "../scripts/documentSection.mjs";

/** The minimum score of a subject, in percent. */
const minimumScore = 90;
const resultsFile = path.join(root, "mutation", "results.json");

/** @typedef {Record<string, import("./mutants.mjs").Result>} Results */
/** @type {import("./report.mjs").Explanation[]} */
const explanations = readJson(path.join(root, "mutation", "survivors.json"));

const args = process.argv.slice(2);
const isQuick = args.includes("--quick");
const names = args.filter((arg) => arg !== "--quick");
const selected = Object.entries(subjects).filter(([name, { isShort }]) =>
  names.length > 0 ? names.includes(name) : isShort || !isQuick,
);

// The protocol tests call the lifecycles in their own process, where the mutants are.
process.env["TESTED_PROVIDER"] = "lifecycles";
for (const [name, subject] of selected) {
  console.log(`${name}:`);
  const result = await testMutants(subject);
  const problems = problemsOf(subject, result);
  console.log([summaryOf(name, result), ...problems].join("\n"));
  if (problems.length > 0) process.exitCode = 1;
  if (!isQuick) record(name, result);
}

/**
 * @param {import("./subjects.mjs").Subject} subject
 * @param {import("./mutants.mjs").Result} result
 */
function problemsOf({ files }, result) {
  const { unexplained, unused } = explain(
    result.survivors,
    explanations.filter(({ file }) => files.includes(file)),
  );
  return [
    ...(scoreOf(result) < minimumScore ? [`The score is below ${minimumScore} %.`] : []),
    ...unexplained.map(
      ({ file, line, from, to }) =>
        `No test notices this mutant, and mutation/survivors.json does not explain it: ${file}:${line}\n  from  ${from}\n  to    ${to}`,
    ),
    ...unused.map(
      ({ file, to }) =>
        `mutation/survivors.json explains a mutant that tests notice: ${file}: ${to}`,
    ),
  ];
}

/**
 * @param {string} name
 * @param {import("./mutants.mjs").Result} result
 */
function record(name, result) {
  /** @type {Results} */
  const results = { ...readJson(resultsFile), [name]: result };
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  const inOrder = Object.keys(subjects).flatMap((each) => {
    const recorded = results[each];
    return recorded === undefined ? [] : [{ name: each, result: recorded }];
  });
  writeSection("reliability.md", "mutation", `\n${section(inOrder, explanations)}\n`);
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
