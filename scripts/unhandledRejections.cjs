// @ts-check
/** Fails a test in which a promise rejects without a handler. Mocha ignores that, but Node.js ends a program for it. */
const process = require("node:process");

/** @param {unknown} reason */
function rethrow(reason) {
  throw reason;
}

exports.mochaHooks = {
  // Before each file, because Mocha removes all listeners after it.
  beforeAll() {
    process.on("unhandledRejection", rethrow);
  },
};
