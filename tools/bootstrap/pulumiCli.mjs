// @ts-check
// The Pulumi CLI: one on PATH that will do, else the cached one, else one is put into the cache,
// by npm's download or, where only package registries can be reached, by a build from Go modules.
// The cache is the one that npm's launcher and Pulumi's Automation API use.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { say } from "../terminal/console.mjs";
import { capture } from "../terminal/run.mjs";
import { manifest } from "../workspace.mjs";
import { buildCli } from "./cliBuild.mjs";
import { downloadCli } from "./cliDownload.mjs";
import { isAlive, withLock } from "./lock.mjs";

const OLDEST_VERSION = "3.216.0";

/** What a folder must hold to run a Node program: the engine, its language host and its provider. */
const EXECUTABLES = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

/**
 * @returns {Promise<string>} the folder of the `pulumi` executable
 * @throws {import("../terminal/failure.mjs").Failure} how to get a CLI, if there is no way from here
 */
export async function findPulumiCli() {
  const found = (await cliOnPath()) ?? cachedCli();
  if (found) return found;
  const { versions, version } = cache();
  fs.mkdirSync(versions, { recursive: true });
  return withLock(path.join(versions, `.${version}.lock`), async () => {
    // Another bootstrap may have filled the cache while this one waited.
    const filled = cachedCli();
    if (filled) return filled;
    removeLeftovers();
    await fillCache();
    return binOf(cache().home);
  });
}

/**
 * @param {string} folder
 * @returns {boolean} whether a Node program can be run with what is in the folder
 */
export function isComplete(folder) {
  return EXECUTABLES.every((name) => isExecutable(path.join(folder, name)));
}

/** @param {string} searchPath */
export async function cliOnPath(searchPath = process.env.PATH ?? "") {
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== "");
  /** @param {string} name */
  const folderOf = (name) =>
    folders.find((folder) => isExecutable(path.join(folder, name)) && !isNpmLauncher(folder, name));

  const folder = folderOf("pulumi");
  if (folder === undefined) return undefined;
  const missing = EXECUTABLES.filter(
    (name) => !isExecutable(path.join(folder, name)) && folderOf(name) === undefined,
  );
  if (missing.length > 0) {
    say(`Passing over ${path.join(folder, "pulumi")}: ${missing.join(", ")} not found beside it.`);
    return undefined;
  }
  const version = await versionOf(folder);
  if (version !== undefined && isAtLeast(version, OLDEST_VERSION)) return folder;
  say(
    `Passing over ${path.join(folder, "pulumi")}: ` +
      `it is ${version ?? "of an unknown version"}, and ${OLDEST_VERSION} or later is needed.`,
  );
  return undefined;
}

/**
 * @param {string} version such as "3.259.0"
 * @param {string} oldest
 */
export function isAtLeast(version, oldest) {
  const own = version.split(".").map(Number);
  const needed = oldest.split(".").map(Number);
  const differing = needed.findIndex((part, index) => part !== (own[index] ?? 0));
  return differing === -1 || (own[differing] ?? 0) > (needed[differing] ?? 0);
}

function cachedCli() {
  const bin = binOf(cache().home);
  return isComplete(bin) ? bin : undefined;
}

/** Makes the CLI in a folder beside the cache's, then renames it: the cache never holds half of one. */
async function fillCache() {
  const { home, version, versions } = cache();
  const making = path.join(versions, `${leftoverPrefix()}${process.pid}`);
  fs.mkdirSync(making);
  try {
    const refusal = await downloadCli(making, version);
    if (refusal !== undefined) await buildCli(making, version, refusal);
    if (!isComplete(binOf(making)) || (await versionOf(binOf(making))) !== version) {
      throw new Error(`The Pulumi CLI made in ${making} is not a complete ${version}.`);
    }
    fs.rmSync(home, { recursive: true, force: true });
    fs.renameSync(making, home);
  } finally {
    fs.rmSync(making, { recursive: true, force: true });
  }
}

/** What a bootstrap that was killed outright could not remove. */
function removeLeftovers() {
  const { versions } = cache();
  for (const name of fs.readdirSync(versions)) {
    if (!name.startsWith(leftoverPrefix())) continue;
    if (isAlive(Number(name.slice(leftoverPrefix().length)))) continue;
    fs.rmSync(path.join(versions, name), { recursive: true, force: true });
  }
}

function leftoverPrefix() {
  return `.${cache().version}.making-`;
}

/** The version is that of the npm package `pulumi`; cliBuild.mjs builds the same one. */
function cache() {
  const version = manifest().devDependencies.pulumi ?? "";
  const versions = path.resolve(
    process.env.PULUMI_HOME || path.join(os.homedir(), ".pulumi"),
    "versions",
  );
  return { version, versions, home: path.join(versions, version) };
}

/** @param {string} home */
function binOf(home) {
  return path.join(home, "bin");
}

/** @param {string} folder */
async function versionOf(folder) {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "1" };
  const { output } = await capture(path.join(folder, "pulumi"), ["version"], { env });
  return /^v?(\d+\.\d+\.\d+)/m.exec(output)?.[1];
}

/**
 * `npm run` puts npm's launcher on PATH, which downloads a CLI instead of being one.
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
    const { size, isFile } = statsOf(file);
    return isFile && size > 0;
  } catch {
    return false;
  }
}

/** @param {string} file */
function statsOf(file) {
  const stats = fs.statSync(file);
  return { size: stats.size, isFile: stats.isFile() };
}
