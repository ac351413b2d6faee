// @ts-check
/** Finds a suitable Pulumi CLI, or else downloads a release, or builds one from Go modules. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { capture, lastLine } from "../processes.mjs";
import { Failure, Interruption, say, step } from "../terminal.mjs";
import { installed } from "../workspace.mjs";
import { buildCli, cliVersion, executableNames } from "../pulumi-cli/build.mjs";
import { withLock } from "./lock.mjs";

const oldestVersion = "3.216.0";

/** The executables that a Node.js program needs. */
const executables = Object.values(executableNames);

/**
 * @param {Promise<void>} dependencies resolves when node_modules is installed; the download needs it
 * @param {AbortSignal} [signal] stops a build
 * @returns {Promise<string>} the folder of the `pulumi` executable
 * @throws {Failure} how to install a CLI, if none is available
 */
export async function findPulumiCli(dependencies, signal) {
  const { version, released, built } = locations();
  const cached = () => [released, built].map(binOf).find(isComplete);
  const found = (await cliOnPath()) ?? cached();
  if (found) return found;
  fs.mkdirSync(path.dirname(built), { recursive: true });
  return withLock(`${built}.lock`, async () => {
    // Another process may have filled the cache in the meantime.
    const filled = cached();
    if (filled) return filled;
    const downloadError = await download(dependencies, version);
    if (downloadError === undefined) return binOf(released);
    await fill(built, version, (home) => buildCli(home, version, downloadError, signal));
    return binOf(built);
  });
}

/** Returns where the CLI is cached. Other projects look in the first folder, so our own builds are never there. */
function locations() {
  const version = cliVersion();
  const pulumiHome = process.env.PULUMI_HOME || path.join(os.homedir(), ".pulumi");
  const caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  return {
    version,
    released: path.resolve(pulumiHome, "versions", version),
    built: path.resolve(caches, "pulumi-clouddb", `pulumi-${version}`),
  };
}

/**
 * Downloads the release with the launcher of the npm package `pulumi`.
 * @param {Promise<void>} dependencies
 * @param {string} version
 * @returns {Promise<string | undefined>} why the download failed, or undefined
 */
async function download(dependencies, version) {
  try {
    // The launcher sends the same request first. If it fails, the build can start before the dependencies are
    // installed.
    await fetch("https://get.pulumi.com/install.sh", { signal: AbortSignal.timeout(10_000) });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  await dependencies;
  const { released } = locations();
  const bin = binOf(released);
  const env = { ...process.env, PULUMI_VERSION: version };
  const launcher = [installed("pulumi/run.js"), "version"];
  const { code, output } = await step(`Downloading the Pulumi CLI ${version}`, () =>
    capture(process.execPath, launcher, { env }),
  );
  if (code === 0 && isComplete(bin)) return undefined;
  return lastLine(output).replace(/^pulumi: /, "") || "unknown reason";
}

/**
 * Creates a CLI in a temporary folder and renames it, so that the cache is never incomplete.
 * @param {string} home
 * @param {string} version
 * @param {(home: string) => Promise<void>} create
 */
async function fill(home, version, create) {
  const temporary = `${home}.tmp`;
  // A killed process may have left the folder behind.
  fs.rmSync(temporary, { recursive: true, force: true });
  fs.mkdirSync(temporary);
  try {
    await create(temporary);
    if (!isComplete(binOf(temporary)) || (await versionOf(binOf(temporary))) !== version) {
      throw new Error(`The Pulumi CLI in ${temporary} is not a complete ${version}.`);
    }
    fs.rmSync(home, { recursive: true, force: true });
    fs.renameSync(temporary, home);
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * @returns {Promise<string | undefined>} the folder of a suitable CLI on PATH
 */
async function cliOnPath() {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => folder !== "");
  /** @param {string} name */
  const folderOf = (name) =>
    folders.find((folder) => isExecutable(path.join(folder, name)) && !isNpmLauncher(folder, name));

  const folder = folderOf(executableNames.engine);
  if (folder === undefined) return undefined;
  const skipping = `Skipping ${path.join(folder, "pulumi")}:`;
  const missing = executables.filter((name) => folderOf(name) === undefined);
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
 * @param {string} version such as "3.274.1"
 * @param {string} oldest
 */
function isAtLeast(version, oldest) {
  return version.localeCompare(oldest, "en", { numeric: true }) >= 0;
}

/** @param {string} home */
function binOf(home) {
  return path.join(home, "bin");
}

/** @param {string} folder */
function isComplete(folder) {
  return executables.every((name) => isExecutable(path.join(folder, name)));
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
