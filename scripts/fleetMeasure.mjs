// @ts-check
/** `npm run fleet:measure`: runs fleets of several sizes against the simulator. */
import path from "node:path";
import { prepareWithCli } from "./firstRun/index.mjs";
import { testEnvironment } from "./environment.mjs";
import { run } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run fleet:measure               10, 100 and 300 stacks, with their state in PostgreSQL: prints the table of
                                    docs/fleets.md (about an hour on 2 cores)
npm run fleet:measure -- 10 100     other sizes

PostgreSQL must be installed. Run nothing else on the machine at the same time.`;

await command(help, async (args) => {
  const wrong = args.find((arg) => !/^[1-9]\d{0,3}$/.test(arg));
  if (wrong !== undefined) throw new Failure(`Not a number of stacks: ${wrong}\n${help}`);
  const bin = await prepareWithCli();
  const sizes = args.length > 0 ? args : ["10", "100", "300"];
  const script = path.join(root, "tests", "fleet", "measure.ts");
  const node = ["--require", path.join(root, "scripts", "transpile.cjs"), script, ...sizes];
  return run(process.execPath, node, { cwd: root, env: testEnvironment(bin) });
});
