// @ts-check
/** Builds the packages. The builds are incremental: without changes, they take about a second. */
import path from "node:path";
import { Failure } from "../terminal/failure.mjs";
import { step } from "../terminal/console.mjs";
import { capture } from "../terminal/run.mjs";
import { installed, root } from "../workspace.mjs";

/** @throws {Failure} the messages of the compiler or the bundler */
export async function buildWorkspaces() {
  await step("Building the packages", async () => {
    await runScript(installed("typescript/bin/tsc"), ["--build", "plugin", "simulator"]);
    await runScript(path.join(root, "provider", "bundle.mjs"), []);
    await runScript(path.join(root, "plugin", "bundle.mjs"), []);
  });
}

/**
 * @param {string} script
 * @param {string[]} args
 */
async function runScript(script, args) {
  const { code, output } = await capture(process.execPath, [script, ...args], { cwd: root });
  if (code !== 0) throw new Failure(`Building the packages failed:\n${output}`);
}
