// @ts-check
/** `npm run simulator`: runs the simulator of the demo stack until it is stopped. */
import { once } from "node:events";
import { prepare } from "./firstRun/index.mjs";
import { serveDemo } from "./demo/service.mjs";
import { stopSignal } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";

const help = `
npm run simulator                   runs the simulator of the quickstart stack, until Ctrl-C
npm run simulator -- --port 8443    the same on a fixed port

Prints the address of the simulator's page, where you can change clusters, inject faults and reset.
While it runs, npm run up and npm run pulumi use it. The state is in .clouddb/demo/.`;

await command(help, async ([option, value, ...rest]) => {
  const port = Number(value ?? 0);
  if (!["--port", undefined].includes(option) || rest.length > 0 || !Number.isInteger(port)) {
    throw new Failure(`Expected no arguments, or --port and a number.\n${help}`, 2);
  }
  await prepare();
  return serveDemo(port, async ({ url, caFile }) => {
    process.stdout.write(
      `Simulator: ${url}\nCA certificate: ${caFile}\n` +
        "Open the address in a browser. To preview the stack: npm run pulumi -- preview\n" +
        "To stop: Ctrl-C\n",
    );
    if (!stopSignal.aborted) await once(stopSignal, "abort");
    return 0;
  });
});
