// Loaded into a provider process ahead of it: on SIGUSR2 it collects garbage and prints its memory.
const process = require("node:process");
const { setTimeout: delay } = require("node:timers/promises");
const v8 = require("node:v8");
const vm = require("node:vm");

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");

process.on("SIGUSR2", async () => {
  collect();
  // Other threads give the pages back that the collection has emptied.
  await delay(200);
  collect();
  await delay(200);
  const { rss, heapUsed, external } = process.memoryUsage();
  process.stdout.write(`memory ${JSON.stringify({ rss, heapUsed, external })}\n`);
});
