// @ts-check
/** `npm run build`: prepares the clone, as every other command does first. */
import { bootstrap } from "./bootstrap/index.mjs";
import { command } from "./terminal/command.mjs";

const help = `
npm run build    installs the dependencies if they are missing or outdated, and builds what changed
                 in provider/ and simulator/`;

await command(help, async () => {
  await bootstrap();
  return 0;
});
