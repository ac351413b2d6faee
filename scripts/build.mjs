// @ts-check
/** `npm run build`: installs the dependencies and builds the packages, as all other commands do first. */
import { prepare } from "./firstRun/index.mjs";
import { command } from "./terminal.mjs";

const help = `
npm run build    installs the dependencies if they are missing or outdated, and builds the packages`;

await command(help, async () => {
  await prepare();
  return 0;
});
