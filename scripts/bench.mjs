// @ts-check
/** `npm run bench`: runs quality/bench/bench.ts with the Pulumi CLI on PATH. */
import path from "node:path";
import { testEnvironment } from "./environment.mjs";
import { prepareWithCli } from "./firstRun/index.mjs";
import { run } from "./processes.mjs";
import { command } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run bench                        measures programs with and without pulumi-clouddb, and writes
                                     docs/internals/benchmarks.md and quality/bench/benchmarks.csv. Takes half an hour;
                                     run nothing else on the machine
npm run bench -- --against FOLDER    also measures another checkout, in alternation with this one; prints all medians
                                     and writes nothing. Run \`npm run build\` there first
npm run bench -- --only COMMAND      measures only a command, such as report, and prints its medians`;

await command(help, async (args) => {
  const bin = await prepareWithCli();
  const script = ["--require", path.join(root, "scripts", "transpile.cjs")];
  const main = path.join(root, "quality", "bench", "bench.ts");
  const options = { cwd: root, env: testEnvironment(bin) };
  return run(process.execPath, [...script, main, ...args], options);
});
