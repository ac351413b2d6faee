/** Preloaded into a provider process: on SIGUSR2, collects garbage and prints the resident memory in bytes. */
const process = require("node:process");
const { setTimeout: delay } = require("node:timers/promises");
const v8 = require("node:v8");
const vm = require("node:vm");

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");

process.on("SIGUSR2", async () => {
  collect();
  // Other threads release the pages that the collection freed.
  await delay(200);
  collect();
  await delay(200);
  process.stdout.write(`resident memory ${process.memoryUsage().rss}\n`);
});
