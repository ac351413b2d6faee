// @ts-check
/** Prepares a clone. Every command runs this first; if nothing changed, it only checks. */
import path from "node:path";
import { root } from "../workspace.mjs";
import { installDependencies } from "./dependencies.mjs";
import { withLock } from "./lock.mjs";
import { buildWorkspaces } from "./workspaces.mjs";

export { findPulumiCli } from "./pulumiCli.mjs";

/**
 * Installs the dependencies and builds the packages.
 * @throws {import("../terminal/failure.mjs").Failure} what is missing and how to fix it
 */
export async function bootstrap() {
  const lock = path.join(root, ".bootstrap.lock");
  await installDependencies(root, lock);
  await withLock(lock, buildWorkspaces);
}
