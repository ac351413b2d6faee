// @ts-check
/** Mocha's spec reporter that also writes its counts, its failures and the slowest tests to a file, for the totals. */
const fs = require("node:fs");
const process = require("node:process");
const { setTimeout } = require("node:timers");
const { reporters } = require("mocha");

const slowestTests = 5;

/** A run that does not end by itself after its last test is ended after this time, in milliseconds. */
const endingTime = 10_000;

module.exports = class TestReporter extends reporters.Spec {
  /**
   * @param {import("mocha").Runner} runner
   * @param {import("mocha").MochaOptions} options reporterOptions.resultFile: path of the file
   */
  constructor(runner, options) {
    super(runner, options);
    /** @type {{ title: string, ms: number }[]} */
    const tests = [];
    runner.on("test end", (test) =>
      tests.push({ title: test.fullTitle(), ms: test.duration ?? 0 }),
    );
    /** @type {string[]} */
    const titles = [];
    runner.on("fail", (test) => titles.push(test.fullTitle()));
    runner.once("end", () => {
      const { passes, failures, pending } = this.stats;
      const slowest = tests.sort((a, b) => b.ms - a.ms).slice(0, slowestTests);
      const result = {
        passed: passes,
        failed: failures,
        skipped: pending,
        failures: titles,
        slowest,
      };
      const { resultFile } = options.reporterOptions;
      fs.writeFileSync(resultFile, JSON.stringify(result));
      // Does not keep the run alive, so it fires only if a test left open handles, such as a server.
      setTimeout(() => {
        const title = "open handles: the run was still alive ten seconds after its last test";
        const failed = { ...result, failed: failures + 1, failures: [...result.failures, title] };
        fs.writeFileSync(resultFile, JSON.stringify(failed));
        process.exit(1);
      }, endingTime).unref();
    });
  }
};
