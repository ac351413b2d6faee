// Loaded into a provider process ahead of it: on SIGUSR2 it collects garbage and prints its memory.
const process = require("node:process");
const v8 = require("node:v8");
const vm = require("node:vm");

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");

process.on("SIGUSR2", () => {
  collect();
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.stdout.write(`memory ${JSON.stringify({ rss, heapUsed, external })}\n`);
});
