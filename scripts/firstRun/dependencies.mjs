// @ts-check
/** Installs the dependencies and builds the packages. Both steps are skipped if nothing changed. */
import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isCurrent } from "../../provider/bundling.mjs";
import { capture } from "../processes.mjs";
import { Failure, step } from "../terminal.mjs";
import { installed, root } from "../workspace.mjs";
import { withLock } from "./lock.mjs";

const maxFailureLines = 15;

const packages = ["connection-strings", "provider", "plugin", "simulator"];

/** Options that this process inherits from the `npm` that runs it, such as `npm pack -w provider --dry-run`. */
const inheritedOptions = /^npm_config_(workspaces?|include_workspace_root|dry_run)$/i;

/**
 * Runs `npm ci` if node_modules is missing or older than package-lock.json.
 * @param {string} folder the repository's root
 * @param {string} lock path of a lock
 * @throws {Failure} why the install failed
 */
export async function installDependencies(folder, lock) {
  if (areInstalled(folder)) return;
  await withLock(lock, async () => {
    // Another process may have installed them in the meantime.
    if (!areInstalled(folder)) await step("Installing dependencies (npm ci)", () => npmCi(folder));
  });
}

/** @param {string} folder */
function areInstalled(folder) {
  /** @param {string[]} location */
  const modifiedAt = (...location) =>
    fs.statSync(path.join(folder, ...location), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // npm writes the second file at the end of an install.
  return modifiedAt("package-lock.json") <= modifiedAt("node_modules", ".package-lock.json");
}

/** @param {string} folder */
async function npmCi(folder) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !inheritedOptions.test(name)),
  );
  const args = [
    "ci",
    "--loglevel=error",
    "--no-audit",
    "--no-fund",
    // NODE_ENV=production would omit the tools.
    "--include=dev",
    // Works without a network if npm's cache is filled, and reports within seconds if it is not.
    "--prefer-offline",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
  ];
  // On Windows, npm is a .cmd file, which only cmd can start.
  const [command, ...first] =
    process.platform === "win32" ? ["cmd.exe", "/d", "/c", "npm"] : ["npm"];
  const { code, output } = await capture(command, [...first, ...args], { cwd: folder, env });
  if (code === 0) return;
  throw new Failure(
    `npm ci failed:\n${output.trim().split("\n").slice(0, maxFailureLines).join("\n")}\n` +
      "npm ci needs a package registry or a filled cache, and a package-lock.json that matches package.json. Check the " +
      "network and npm's settings `registry`, `proxy` and `offline`, then run the command again.",
  );
}

/**
 * Builds what changed or is missing. Otherwise, this takes a tenth of a second.
 * @throws {Failure} the messages of the compiler or the bundler
 */
export async function buildPackages() {
  await step("Building the packages", async () => {
    // The compiler compares times. It does not notice that a file is missing, or that one is left of a deleted source.
    const outdated = packages.filter((name) => !isCompiled(name));
    for (const name of outdated)
      fs.rmSync(path.join(root, name, "dist"), { recursive: true, force: true });
    const force = outdated.length === 0 ? [] : ["--force"];
    await runBuild(installed("typescript7/bin/tsc"), "--build", ...force, "plugin", "simulator");
    for (const folder of ["provider", "plugin"].map((name) => path.join(root, name))) {
      if (!isCurrent(folder)) await runBuild(path.join(folder, "bundle.mjs"));
    }
    for (const name of packages) {
      fs.copyFileSync(path.join(root, "LICENSE"), path.join(root, name, "LICENSE"));
    }
  });
}

/**
 * Returns whether each source of a package has been compiled, and nothing else.
 * @param {string} name
 */
function isCompiled(name) {
  /** @param {string} folder @param {RegExp} ending */
  const modulesIn = (folder, ending) => {
    const location = path.join(root, name, folder);
    const files = fs.existsSync(location)
      ? fs.readdirSync(location, { recursive: true, encoding: "utf8" })
      : [];
    return files.filter((file) => ending.test(file)).map((file) => file.replace(ending, ""));
  };
  const compiled = modulesIn("dist", /(?<!\.bundle)\.js$/);
  return isDeepStrictEqual(compiled.sort(), modulesIn("src", /\.ts$/).sort());
}

/** @param {string[]} command a script and its arguments */
async function runBuild(...command) {
  const { code, output } = await capture(process.execPath, command, { cwd: root });
  if (code !== 0) throw new Failure(`Building the packages failed:\n${output}`);
}
