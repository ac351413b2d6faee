// @ts-check
/** A reporter of Mocha that writes each failure at once, so that they are known even if the run has to be stopped. */
const fs = require("node:fs");
const { reporters } = require("mocha");

module.exports = class FailureReporter extends reporters.Base {
  /**
   * @param {import("mocha").Runner} runner
   * @param {import("mocha").MochaOptions} options reporterOptions.failuresFile: gets a line of JSON for each failure
   */
  constructor(runner, options) {
    super(runner, options);
    runner.on("fail", (test) => {
      const failure = { file: test.file, title: test.fullTitle() };
      fs.appendFileSync(options.reporterOptions.failuresFile, `${JSON.stringify(failure)}\n`);
    });
  }
};
