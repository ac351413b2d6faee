#!/usr/bin/env node
// Not in dist/, so that npm links the command in a clone before anything is built. Runs in every version of Node.js.
const problem = require("../dist/version.js").nodeProblem();
if (problem === undefined) {
  require("../dist/cli.js");
} else {
  console.error(problem);
  process.exitCode = 2;
}
