// @ts-check
// `npm run build`: what every other command does first.
import { bootstrap } from "./bootstrap/index.mjs";
import { command } from "./terminal/command.mjs";

const HELP = `
npm run build    installs the dependencies if they are missing or stale, and builds what changed
                 in provider/ and simulator/`;

await command(HELP, async () => {
  await bootstrap();
  return 0;
});
