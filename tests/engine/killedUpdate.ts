/** An update whose provider process is killed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestStack } from "./stack";

/**
 * Runs an update that fails because its provider process is killed.
 *
 * @param point where to kill it; see killAt.cjs
 */
export async function killedUpdate({ stack, failure }: TestStack, point: number): Promise<void> {
  const { envVars } = stack.workspace;
  envVars["NODE_OPTIONS"] = `--require ${JSON.stringify(join(__dirname, "killAt.cjs"))}`;
  envVars["KILL_AT"] = String(point);
  const output = await failure(stack.up());
  delete envVars["NODE_OPTIONS"];
  delete envVars["KILL_AT"];
  assert.match(output, /error: /);
}
