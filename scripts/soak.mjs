// @ts-check
/** `npm run soak`: runs many stacks while the service fails, or kills the processes of updates. */
import path from "node:path";
import { parseArgs } from "node:util";
import { prepareWithCli } from "./firstRun/index.mjs";
import { testEnvironment } from "./environment.mjs";
import { run } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run soak            runs 30 stacks in 3 projects, in 3 rounds of up, toggle, refresh and destroy, while
                        one request in ten and one connection in five get a fault (about an hour)
npm run soak -- kills   kills the provider, the language host, the engine or the plugin at 60 points of
                        an update, on the file and the PostgreSQL backends, and recovers (about 30 minutes)

  --seed N              repeats the faults, programs and points of an earlier run. Default: 1
  --stacks N --rounds N --points N
  --write               writes the results to docs/reliability.md

The exit code is 1 if an expectation is violated.`;

await command(help, async (args) => {
  check(args);
  const bin = await prepareWithCli();
  const script = [
    "--require",
    path.join(root, "scripts", "transpile.cjs"),
    path.join(root, "quality", "soak", "main.ts"),
  ];
  return run(process.execPath, [...script, ...args], { cwd: root, env: testEnvironment(bin) });
});

/** @param {string[]} args */
function check(args) {
  try {
    const string = /** @type {const} */ ({ type: "string" });
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...{ seed: string, stacks: string, rounds: string, points: string },
        write: { type: "boolean" },
      },
    });
    const isNumber = Object.values(values).every(
      (value) => typeof value === "boolean" || /^[1-9]\d{0,8}$/.test(value),
    );
    if (isNumber && positionals.every((each) => each === "kills") && positionals.length < 2) return;
  } catch {
    // Reported below.
  }
  throw new Failure(`Unknown arguments: ${args.join(" ")}\n${help}`);
}
