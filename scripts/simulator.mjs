// @ts-check
/** `npm run simulator`: runs the simulator of the demo stack until it is stopped. */
import { once } from "node:events";
import { prepare } from "./firstRun/index.mjs";
import { serveDemo, usualPort } from "./demo/service.mjs";
import { stopSignal } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";

const help = `
npm run simulator                        runs the simulator of the quickstart stack, until Ctrl-C
npm run simulator -- --profile default   the same with the names, paths and strings of the service document

Prints the address of the simulator's page, where you can change clusters, inject faults and reset.
While it runs, npm run up and npm run pulumi use it. The state is in .clouddb/demo/.`;

await command(help, async (args) => {
  const profile = profileIn(args);
  await prepare();
  return serveDemo(profile, async ({ url, caFile }) => {
    const follow = `Port ${usualPort} is in use. For a stack of your own: pulumi config set clouddb:baseUrl ${url}\n`;
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
 * @returns {import("./demo/service.mjs").Profile}
 */
function profileIn([option, profile, ...others]) {
  if (option === undefined) return "atlas";
  const isKnown = profile === "atlas" || profile === "default";
  if (option === "--profile" && isKnown && others.length === 0) return profile;
  throw new Failure(`Expected no arguments, or --profile default.\n${help}`, 2);
}
