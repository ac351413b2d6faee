// @ts-check
/** `npm run quality` and `npm run bench`: run the long-running tests of quality/main.ts. */
import path from "node:path";
import { testEnvironment } from "./environment.mjs";
import { prepareWithCli } from "./firstRun/index.mjs";
import { run } from "./processes.mjs";
import { command } from "./terminal.mjs";
import { root } from "./workspace.mjs";

await command("", async (args) => {
  const bin = await prepareWithCli();
  const script = ["--require", path.join(root, "scripts", "transpile.cjs")];
  const main = path.join(root, "quality", "main.ts");
  const options = { cwd: root, env: testEnvironment(bin) };
  return run(process.execPath, [...script, main, ...args], options);
});
