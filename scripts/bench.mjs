// @ts-check
/** `npm run bench`: runs quality/bench/bench.ts with the Pulumi CLI on PATH. */
import path from "node:path";
import { testEnvironment } from "./environment.mjs";
import { prepareWithCli } from "./firstRun/index.mjs";
import { run } from "./processes.mjs";
import { command } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run bench                        compares programs with pulumi-clouddb and with an empty dynamic provider, and
                                     writes docs/internals/benchmarks.md. Takes half an hour; run nothing else on the machine
npm run bench -- --by-hand           also measures a program by hand, without pulumi-clouddb (quality/bench/byHand.ts)
npm run bench -- --against FOLDER    also measures another checkout, in alternation with this one; prints the table
                                     and writes nothing. Run \`npm run build\` there first
npm run bench -- --only COMMAND      measures only a command, such as report, and prints the table`;

await command(help, async (args) => {
  const bin = await prepareWithCli();
  const script = ["--require", path.join(root, "scripts", "transpile.cjs")];
  const main = path.join(root, "quality", "bench", "bench.ts");
  const options = { cwd: root, env: testEnvironment(bin) };
  return run(process.execPath, [...script, main, ...args], options);
});
