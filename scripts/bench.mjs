// @ts-check
/** `npm run bench`: runs the benchmarks of quality/bench/ with the built packages and the Pulumi CLI. */
import path from "node:path";
import { prepareWithCli } from "./firstRun/index.mjs";
import { testEnvironment } from "./environment.mjs";
import { run } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run bench               compares pulumi-clouddb with dynamic providers, and the simulator with a
                            bare server; prints the tables and writes them to quality/bench/results.md
                            (about 25 minutes)
npm run bench -- --quick    fewer runs, and only those that the goals need (under 3 minutes)

Run nothing else on the machine at the same time.`;

await command(help, async (args) => {
  const unknown = args.find((arg) => arg !== "--quick");
  if (unknown !== undefined) throw new Failure(`Unknown argument: ${unknown}\n${help}`);
  const bin = await prepareWithCli();
  const script = [
    "--require",
    path.join(root, "scripts", "transpile.cjs"),
    path.join(root, "quality", "bench", "main.ts"),
  ];
  return run(process.execPath, [...script, ...args], { cwd: root, env: testEnvironment(bin) });
});
