// @ts-check
// The build of the two packages. The compiler and the bundler know what changed: nothing to do costs
// about a second.
import path from "node:path";
import { Failure } from "../terminal/failure.mjs";
import { step } from "../terminal/console.mjs";
import { capture } from "../terminal/run.mjs";
import { installed, root } from "../workspace.mjs";

/** @throws {Failure} the compiler's or the bundler's messages */
export async function buildWorkspaces() {
  await step("Building provider and simulator", async () => {
    await runScript(installed("typescript/bin/tsc"), ["--build", "provider", "simulator"]);
    await runScript(path.join(root, "provider", "bundle.mjs"), []);
  });
}

/**
 * @param {string} script
 * @param {string[]} args
 */
async function runScript(script, args) {
  const { code, output } = await capture(process.execPath, [script, ...args], { cwd: root });
  if (code !== 0) throw new Failure(`provider and simulator do not build:\n${output}`);
}
