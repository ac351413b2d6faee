#!/usr/bin/env node
// Starts the plugin, unless Node.js is too old to load it. Runs in every version of Node.js.
const { engines } = require("./package.json");
const needed = engines.node.replace(">=", "");
const found = process.versions.node;
if (found.localeCompare(needed, "en", { numeric: true }) < 0) {
  console.error(
    `pulumi-resource-clouddb needs Node.js ${needed} or later, but ${process.execPath} is ${found}. Install Node.js from https://nodejs.org/, then run the command again.`,
  );
  process.exitCode = 1;
} else {
  require("./dist/plugin.bundle.js");
}
