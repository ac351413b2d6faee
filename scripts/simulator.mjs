// @ts-check
/** `npm run simulator`: runs the simulator of the demo stack until it is stopped. */
import { once } from "node:events";
import { parseArgs } from "node:util";
import { prepare } from "./firstRun/index.mjs";
import { serveDemo, usualPort } from "./demo/service.mjs";
import { stopSignal } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";

const help = `
npm run simulator                   runs the simulator of the quickstart stack, until Ctrl-C
npm run simulator -- --port 9443    the same on another port than ${usualPort}
npm run simulator -- --profile v2   the same with the names, paths and strings of MongoDB Atlas

Prints the address of the simulator's page, where you can change clusters, inject faults and reset.
While it runs, npm run up and npm run pulumi use it. The state is in .clouddb/demo/.`;

await command(help, async (args) => {
  const options = optionsIn(args);
  await prepare();
  return serveDemo(options, async ({ url, caFile }) => {
    const inUse = options.port === undefined ? `Port ${usualPort} is in use. ` : "";
    const follow = `${inUse}For a stack of your own: pulumi config set clouddb:baseUrl ${url}\n`;
    process.stdout.write(
      `Simulator: ${url}\nCA certificate: ${caFile}\n` +
        "Open the address in a browser. To preview the stack: npm run pulumi -- preview\n" +
        (new URL(url).port === String(usualPort) ? "" : follow) +
        "To stop: Ctrl-C\n",
    );
    if (!stopSignal.aborted) await once(stopSignal, "abort");
    return 0;
  });
});

/**
 * @param {string[]} args
 * @returns {{ port: number | undefined, profile: "v2" | undefined }}
 */
function optionsIn(args) {
  try {
    const options = /** @type {const} */ ({
      port: { type: "string" },
      profile: { type: "string" },
    });
    const { port, profile } = parseArgs({ args, options }).values;
    const isPort = port === undefined || /^\d+$/.test(port);
    if (isPort && (profile === "v2" || profile === undefined)) {
      return { port: port === undefined ? undefined : Number(port), profile };
    }
  } catch {
    // An unknown option, or one without a value.
  }
  throw new Failure(`Expected no arguments, --port and a number, or --profile v2.\n${help}`, 2);
}
