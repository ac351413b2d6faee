// @ts-check
/** Stryker's configuration for one subject of subjects.json, which the variable MUTATION_SUBJECT names. */
import { readFileSync } from "node:fs";

/** @type {Record<string, { score: number, survivors?: string, files: string[], tests: string[] }>} */
const subjects = JSON.parse(readFileSync(new URL("subjects.json", import.meta.url), "utf8"));
const name = process.env.MUTATION_SUBJECT ?? "guard";
const { score = 100, files = [], tests = [] } = subjects[name] ?? {};

export default {
  mutate: files,
  // Stryker finds it beside itself, where npx installs both.
  plugins: ["@stryker-mutator/mocha-runner"],
  testRunner: "mocha",
  mochaOptions: {
    "no-config": true,
    spec: tests,
    require: ["./scripts/transpile.cjs", "./quality/mutation/fixedSeed.cjs"],
  },
  // The files that the tests do not need.
  ignorePatterns: [".clouddb", "dist", "/coverage", "/docs/pictures", "/tests/engine"],
  tempDirName: ".clouddb/mutation",
  coverageAnalysis: "perTest",
  concurrency: 2,
  timeoutMS: 10_000,
  // The accepted score leaves room for mutants that cannot change the behaviour (`survivors` says which). A subject
  // that must score 100 % disables them in its code: // Stryker disable next-line <mutator>: <reason>
  thresholds: { high: 100, low: score, break: score },
  reporters: ["progress-append-only", "clear-text"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  allowConsoleColors: false,
};
