// @ts-check
/** `npm run matrix`: runs programs with every supported package manager, Node.js version and SDK. */
import path from "node:path";
import { parseArgs } from "node:util";
import { prepareWithCli } from "./firstRun/index.mjs";
import { testEnvironment } from "./environment.mjs";
import { run } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run matrix   installs the packed packages with each package manager, version of Node.js and version of
                 Pulumi's SDK, and runs a program of each module format on the real engine: preview, up, a
                 preview without changes, refresh, a preview of drift, and destroy (about 40 minutes)

  --only npm,20,newest   runs the rows with these values: package managers (npm, pnpm, yarn1, yarn4,
                         yarn4-pnp), versions of Node.js (20, 22, 24), SDKs (oldest, newest) and formats
                         (typescript, commonjs, esm)
  --jobs N               how many installations run at once. Default: 2
  --write                writes the results of all rows to docs/compatibility.md

The exit code is 1 if a row fails without a known reason, or passes although it has one.`;

await command(help, async (args) => {
  check(args);
  const bin = await prepareWithCli();
  const script = [
    "--require",
    path.join(root, "scripts", "transpile.cjs"),
    path.join(root, "quality", "matrix", "main.ts"),
  ];
  return run(process.execPath, [...script, ...args], { cwd: root, env: testEnvironment(bin) });
});

/** @param {string[]} args */
function check(args) {
  try {
    const string = /** @type {const} */ ({ type: "string" });
    const { values } = parseArgs({
      args,
      options: { only: string, jobs: string, write: { type: "boolean" } },
    });
    const isPartial = values.write === true && values.only !== undefined;
    if (/^[1-9]\d?$/.test(values.jobs ?? "1") && !isPartial) return;
  } catch {
    // Reported below.
  }
  throw new Failure(`Unknown arguments: ${args.join(" ")}\n${help}`);
}
