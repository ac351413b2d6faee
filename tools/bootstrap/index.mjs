// @ts-check
// What every command starts with: on a fresh clone it prepares everything, later it finds all in place.
import path from "node:path";
import { root } from "../workspace.mjs";
import { installDependencies } from "./dependencies.mjs";
import { withLock } from "./lock.mjs";
import { buildWorkspaces } from "./workspaces.mjs";

export { findPulumiCli } from "./pulumiCli.mjs";

/**
 * Dependencies installed and both packages built.
 * @throws {Failure} what is missing and what to do about it
 */
export async function bootstrap() {
  await withLock(path.join(root, ".bootstrap.lock"), async () => {
    await installDependencies(root);
    await buildWorkspaces();
  });
}

/** @typedef {import("../terminal/failure.mjs").Failure} Failure */
