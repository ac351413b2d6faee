// @ts-check
/**
 * Finds the Pulumi CLI: a suitable one on PATH, or the one in the cache. Otherwise it fills the
 * cache with npm's download or, if only package registries are reachable, with a build from Go
 * modules. npm's launcher and Pulumi's Automation API use the same cache.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { say } from "../terminal/console.mjs";
import { Failure, Interruption } from "../terminal/failure.mjs";
import { capture } from "../terminal/run.mjs";
import { manifest } from "../workspace.mjs";
import { buildCli } from "./cliBuild.mjs";
import { downloadCli } from "./cliDownload.mjs";
import { withLock } from "./lock.mjs";

const oldestVersion = "3.216.0";

/** The executables that a Node.js program needs: the engine, the language host, the provider. */
const executables = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

/**
 * @returns {Promise<string>} the folder of the `pulumi` executable
 * @throws {import("../terminal/failure.mjs").Failure} how to install a CLI, if none is available
 */
export async function findPulumiCli() {
  const found = (await cliOnPath()) ?? cachedCli();
  if (found) return found;
  const { home, temporary } = cache();
  fs.mkdirSync(path.dirname(home), { recursive: true });
  return withLock(`${temporary}.lock`, async () => {
    // Another process may have filled the cache in the meantime.
    const filled = cachedCli();
    if (filled) return filled;
    await fillCache();
    return binOf(home);
  });
}

/**
 * @param {string} folder
 * @returns {boolean} whether the folder has every executable that a Node.js program needs
 */
function isComplete(folder) {
  return executables.every((name) => isExecutable(path.join(folder, name)));
}

/**
 * @param {string} searchPath
 * @returns {Promise<string | undefined>} the folder of a suitable CLI
 */
async function cliOnPath(searchPath = process.env.PATH ?? "") {
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== "");
  /** @param {string} name */
  const folderOf = (name) =>
    folders.find((folder) => isExecutable(path.join(folder, name)) && !isNpmLauncher(folder, name));

  const folder = folderOf("pulumi");
  if (folder === undefined) return undefined;
  const skipping = `Skipping ${path.join(folder, "pulumi")}:`;
  const missing = executables.filter(
    (name) => !isExecutable(path.join(folder, name)) && folderOf(name) === undefined,
  );
  if (missing.length > 0) {
    say(`${skipping} ${missing.join(", ")} not found on PATH.`);
    return undefined;
  }
  const version = await versionOf(folder);
  if (version !== undefined && isAtLeast(version, oldestVersion)) return folder;
  say(`${skipping} its version is ${version ?? "unknown"}; ${oldestVersion} or later is required.`);
  return undefined;
}

/**
 * @param {string} version such as "3.259.0"
 * @param {string} oldest
 */
function isAtLeast(version, oldest) {
  const own = version.split(".").map(Number);
  const needed = oldest.split(".").map(Number);
  const differing = needed.findIndex((part, index) => part !== (own[index] ?? 0));
  return differing === -1 || (own[differing] ?? 0) > (needed[differing] ?? 0);
}

function cachedCli() {
  const bin = binOf(cache().home);
  return isComplete(bin) ? bin : undefined;
}

/** Creates the CLI in a temporary folder and renames it, so that the cache is never incomplete. */
async function fillCache() {
  const { home, temporary, version } = cache();
  // A killed process may have left the folder behind.
  fs.rmSync(temporary, { recursive: true, force: true });
  fs.mkdirSync(temporary);
  try {
    const downloadError = await downloadCli(temporary, version);
    if (downloadError !== undefined) await buildCli(temporary, version, downloadError);
    if (!isComplete(binOf(temporary)) || (await versionOf(binOf(temporary))) !== version) {
      throw new Error(`The Pulumi CLI in ${temporary} is not a complete ${version}.`);
    }
    fs.rmSync(home, { recursive: true, force: true });
    fs.renameSync(temporary, home);
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

/** The version is that of the npm package `pulumi`. cliBuild.mjs builds the same version. */
function cache() {
  const version = manifest().devDependencies.pulumi ?? "";
  // fillCache deletes the folder of the version.
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    throw new Error(`package.json must pin an exact version of pulumi, but has "${version}".`);
  }
  const versions = path.resolve(
    process.env.PULUMI_HOME || path.join(os.homedir(), ".pulumi"),
    "versions",
  );
  return {
    version,
    home: path.join(versions, version),
    temporary: path.join(versions, `.${version}.tmp`),
  };
}

/** @param {string} home */
function binOf(home) {
  return path.join(home, "bin");
}

/**
 * @param {string} folder
 * @returns {Promise<string | undefined>} undefined if `pulumi` cannot run or prints no version
 */
async function versionOf(folder) {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "1" };
  try {
    const { output } = await capture(path.join(folder, "pulumi"), ["version"], { env });
    return /^v?(\d+\.\d+\.\d+)/m.exec(output)?.[1];
  } catch (error) {
    if (error instanceof Interruption || !(error instanceof Failure)) throw error;
    return undefined;
  }
}

/**
 * Whether the executable is npm's launcher, which downloads a CLI. `npm run` adds it to PATH.
 * @param {string} folder
 * @param {string} name
 */
function isNpmLauncher(folder, name) {
  return fs.realpathSync(path.join(folder, name)).split(path.sep).includes("node_modules");
}

/** @param {string} file */
function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    const stats = fs.statSync(file);
    return stats.isFile() && stats.size > 0;
  } catch {
    return false;
  }
}
