// @ts-check
// The build of the two packages. The compiler knows what changed: nothing to do costs under a second.
import { Failure } from "../terminal/failure.mjs";
import { step } from "../terminal/console.mjs";
import { capture } from "../terminal/run.mjs";
import { installed, root } from "../workspace.mjs";

/** @throws {Failure} the compiler's messages */
export async function buildWorkspaces() {
  await step("Building provider and simulator", async () => {
    const compiler = [installed("typescript/bin/tsc"), "--build", "provider", "simulator"];
    const { code, output } = await capture(process.execPath, compiler, { cwd: root });
    if (code !== 0) throw new Failure(`provider and simulator do not compile:\n${output}`);
  });
}
