// @ts-check
/** Prepares a clone. Every command runs this first. If nothing changed, it only checks. */
import path from "node:path";
import { root } from "../workspace.mjs";
import { findPulumiCli } from "./cli.mjs";
import { buildPackages, installDependencies } from "./dependencies.mjs";
import { withLock } from "./lock.mjs";

const lock = path.join(root, ".bootstrap.lock");

/**
 * Installs the dependencies and builds the packages.
 * @throws {import("../terminal.mjs").Failure} what is missing and how to fix it
 */
export async function prepare() {
  await installDependencies(root, lock);
  await withLock(lock, buildPackages);
}

/**
 * Prepares the clone, and finds or creates the Pulumi CLI beside it.
 * @returns {Promise<string>} the folder of the `pulumi` executable
 * @throws {import("../terminal.mjs").Failure} what is missing and how to fix it
 */
export async function prepareWithCli() {
  const { packages, cli } = startPreparing();
  await packages;
  return cli;
}

/**
 * Starts to prepare the clone, and to find or create the Pulumi CLI beside it.
 * @returns {{ packages: Promise<void>, cli: Promise<string> }} packages: the clone is prepared; cli: the folder of
 *   the `pulumi` executable. Both reject with a Failure that says what is missing and how to fix it
 */
export function startPreparing() {
  const failed = new AbortController();
  const dependencies = installDependencies(root, lock);
  const packages = dependencies.then(() => withLock(lock, buildPackages));
  // An incomplete clone is reported at once, instead of after the build of the CLI.
  packages.catch((error) => failed.abort(error));
  const cli = findPulumiCli(dependencies, failed.signal);
  // Callers that await it later report it.
  cli.catch(() => undefined);
  return { packages, cli };
}
