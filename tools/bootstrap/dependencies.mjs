// @ts-check
// The dependencies: installed when node_modules does not hold what package-lock.json asks for.
import fs from "node:fs";
import path from "node:path";
import { Failure } from "../terminal/failure.mjs";
import { step } from "../terminal/console.mjs";
import { capture } from "../terminal/run.mjs";

/**
 * @param {string} folder the repository's root
 * @throws {Failure} npm's own words, if it cannot install
 */
export async function installDependencies(folder) {
  if (areInstalled(folder)) return;
  await step("Installing dependencies (npm ci)", () => install(folder), {
    expect: "usually less than a minute; only when package-lock.json changes",
  });
}

/**
 * npm writes node_modules/.package-lock.json as the last act of an install: what it lists is there.
 * @param {string} folder
 */
export function areInstalled(folder) {
  const present = packagesOf(path.join(folder, "node_modules", ".package-lock.json"));
  const wanted = packagesOf(path.join(folder, "package-lock.json"));
  if (!present || !wanted) return false;
  return Object.entries(wanted).every(([location, entry]) => {
    if (location === "") return true;
    const found = present[location];
    // Builds for other platforms are in the lock, and are left out here.
    if (!found) return entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** @param {string} folder */
async function install(folder) {
  // NODE_ENV=production would leave out the tools.
  const { code, output } = await capture("npm", ["ci", "--include=dev"], { cwd: folder });
  if (code === 0) return;
  throw new Failure(
    `npm ci failed:\n${output}\n` +
      "It needs a package registry it can reach, and a package-lock.json that fits package.json.",
  );
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean }} LockedPackage
 * @param {string} file
 * @returns {Record<string, LockedPackage> | undefined} undefined if there is no such file
 */
function packagesOf(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}
