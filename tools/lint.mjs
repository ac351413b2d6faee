// @ts-check
// `npm run lint`: the checks of checks.mjs alone.
import { bootstrap } from "./bootstrap/index.mjs";
import { runChecks } from "./checks.mjs";
import { command } from "./terminal/command.mjs";
import { Failure } from "./terminal/failure.mjs";

const HELP = `
npm run lint             ESLint, Biome's format, and the types of tests, tools and examples
npm run lint -- --fix    the same, mending what can be mended`;

await command(HELP, async (args) => {
  const unknown = args.find((arg) => arg !== "--fix");
  if (unknown !== undefined) throw new Failure(`Unknown argument: ${unknown}\n${HELP}`);
  await bootstrap();
  const { failed } = await runChecks({ fix: args.includes("--fix") });
  return failed === 0 ? 0 : 1;
});
