// @ts-check
/** `npm run lint`: runs the checks of checks.mjs. */
import { prepare } from "./firstRun/index.mjs";
import { runChecks } from "./checks.mjs";
import { Failure, command } from "./terminal.mjs";

const help = `
npm run lint             runs oxlint, and checks formatting, import directions, unused code, links in comments, the
                         types of tests, benchmarks, tools and examples, and whether generated files are current
npm run lint -- --fix    also fixes what can be fixed automatically`;

await command(help, async (args) => {
  const unknown = args.find((arg) => arg !== "--fix");
  if (unknown !== undefined) throw new Failure(`Unknown argument: ${unknown}\n${help}`);
  await prepare();
  const { failures } = await runChecks({ fix: args.includes("--fix") });
  return failures.length === 0 ? 0 : 1;
});
