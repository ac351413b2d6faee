// @ts-check
/** `npm run build`: installs the dependencies and builds the packages, as all other commands do first. */
import { bootstrap } from "./bootstrap/index.mjs";
import { command } from "./terminal/command.mjs";

const help = `
npm run build    installs the dependencies if they are missing or outdated, and builds the packages`;

await command(help, async () => {
  await bootstrap();
  return 0;
});
