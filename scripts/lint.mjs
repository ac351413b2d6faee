// @ts-check
/** `npm run lint`: runs the checks of checks.mjs. */
import { bootstrap } from "./bootstrap/index.mjs";
import { runChecks } from "./checks.mjs";
import { command } from "./terminal/command.mjs";
import { Failure } from "./terminal/failure.mjs";

const help = `
npm run lint             runs ESLint, checks the format with Biome, the directions of imports, what is unused or
                         duplicated, links in comments, and the types of tests, benchmarks, tools and examples
npm run lint -- --fix    also fixes what can be fixed automatically`;

await command(help, async (args) => {
  const unknown = args.find((arg) => arg !== "--fix");
  if (unknown !== undefined) throw new Failure(`Unknown argument: ${unknown}\n${help}`);
  await bootstrap();
  const { failed } = await runChecks({ fix: args.includes("--fix") });
  return failed === 0 ? 0 : 1;
});
