// @ts-check
/** Mocha's spec reporter that also writes its counts, its failures and the slowest tests to a file, for the totals. */
const fs = require("node:fs");
const { reporters } = require("mocha");

const slowestTests = 5;

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
    const failed = [];
    runner.on("fail", (test) => failed.push(test.fullTitle()));
    runner.once("end", () => {
      const { passes, failures, pending } = this.stats;
      const slowest = tests.sort((a, b) => b.ms - a.ms).slice(0, slowestTests);
      const result = {
        passed: passes,
        failed: failures,
        skipped: pending,
        failures: failed,
        slowest,
      };
      fs.writeFileSync(options.reporterOptions.resultFile, JSON.stringify(result));
    });
  }
};
