// @ts-check
/** `npm run simulator`: runs the simulator of the demo stack until it is stopped. */
import { once } from "node:events";
import { prepare } from "./firstRun/index.mjs";
import { serveDemo } from "./demo/service.mjs";
import { stopSignal } from "./processes.mjs";
import { command } from "./terminal.mjs";

const help = `
npm run simulator                   runs the simulator of the quickstart stack, until Ctrl-C
npm run simulator -- --port 8443    passes options to clouddb-simulator

Prints the address of the simulator's page, where you can change clusters, inject faults and reset.
While it runs, npm run up and npm run pulumi use it. The state is in .clouddb/demo/.`;

await command(help, async (args) => {
  await prepare();
  return serveDemo(["--control", ...args], async ({ url, caFile, ended }) => {
    process.stdout.write(
      `Simulator: ${url}\nCA certificate: ${caFile}\n` +
        "Open the address in a browser. To preview the stack: npm run pulumi -- preview\n" +
        "To stop: Ctrl-C\n",
    );
    if (!stopSignal.aborted) await Promise.race([once(stopSignal, "abort"), ended]);
    return 0;
  });
});
