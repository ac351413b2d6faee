#!/usr/bin/env node
// Not in dist/, so that npm links the command in a clone before anything is built. Runs in every version of Node.js.
const { engines } = require("../package.json");
const needed = engines.node.replace(">=", "");
const found = process.versions.node;
if (found.localeCompare(needed, "en", { numeric: true }) < 0) {
  console.error(
    `clouddb-connection-strings needs Node.js ${needed} or later, but ${process.execPath} is ${found}. Install Node.js from https://nodejs.org/, then run the command again.`,
  );
  process.exitCode = 2;
} else {
  require("../dist/cli.js");
}
