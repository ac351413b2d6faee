// @ts-check
/** Mocha's spec reporter that also writes its counts to a file, for the total over all layers. */
const fs = require("node:fs");
const { reporters } = require("mocha");

module.exports = class CountingReporter extends reporters.Spec {
  /**
   * @param {import("mocha").Runner} runner
   * @param {import("mocha").MochaOptions} options reporterOptions.countsFile: path of the file
   */
  constructor(runner, options) {
    super(runner, options);
    runner.once("end", () => {
      const { passes, failures, pending } = this.stats;
      const counts = { passed: passes, failed: failures, skipped: pending };
      fs.writeFileSync(options.reporterOptions.countsFile, JSON.stringify(counts));
    });
  }
};
