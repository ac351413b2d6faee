// @ts-check
/** Mocha's spec reporter that also writes its counts and the titles of failed tests to a file, for the total. */
const fs = require("node:fs");
const process = require("node:process");
const { setTimeout } = require("node:timers");
const { reporters } = require("mocha");

/** How many milliseconds a run may take to end after its last test. */
const endingTime = 10_000;

module.exports = class TestReporter extends reporters.Spec {
  /**
   * @param {import("mocha").Runner} runner
   * @param {import("mocha").MochaOptions} options reporterOptions.resultFile: path of the file
   */
  constructor(runner, options) {
    super(runner, options);
    /** @type {string[]} */
    const failures = [];
    const write = () => {
      const { passes: passed, pending: skipped } = this.stats;
      const { resultFile } = options.reporterOptions;
      fs.writeFileSync(resultFile, JSON.stringify({ passed, skipped, failures }));
    };
    runner.on("fail", (test) => failures.push(test.fullTitle()));
    runner.once("end", () => {
      write();
      // Does not keep the run alive, so it fires only if a test left open handles, such as a server.
      setTimeout(() => {
        failures.push("open handles: the run was still alive ten seconds after its last test");
        write();
        process.exit(1);
      }, endingTime).unref();
    });
  }
};
