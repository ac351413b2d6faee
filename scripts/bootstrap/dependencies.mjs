// @ts-check
/**
 * Installs the dependencies when node_modules does not match package-lock.json. Uses Node.js
 * modules only, because nothing else is installed yet.
 */
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { step } from "../terminal/console.mjs";
import { withInstallLock } from "./installLock.mjs";
import { npmCi } from "./npmCi.mjs";

/**
 * @param {string} folder the repository's root
 * @param {string} lock path of the lock
 * @throws {import("../terminal/failure.mjs").Failure} why the install failed
 */
export async function installDependencies(folder, lock) {
  if (areInstalled(folder)) return;
  await withInstallLock(lock, async () => {
    // Another process may have installed them in the meantime.
    if (areInstalled(folder)) return;
    await step("Installing dependencies (npm ci)", () => npmCi(folder), {
      expect: "usually less than a minute; only when package-lock.json changes",
    });
    fs.writeFileSync(stampIn(folder), fingerprint(folder));
  });
}

/**
 * Whether node_modules matches package-lock.json. npm writes node_modules/.package-lock.json at the
 * end of an install.
 * @param {string} folder
 * @public a test calls it
 */
export function areInstalled(folder) {
  const present = packagesIn(presentIn(folder));
  const wanted = packagesIn(wantedIn(folder));
  if (present === undefined || wanted === undefined) return false;
  return covers(present, wanted) || isStamped(folder);
}

/** @typedef {{ version?: string, integrity?: string, optional?: boolean }} LockedPackage */

/**
 * @param {string} lockFile
 * @returns {Record<string, LockedPackage> | undefined} undefined if the file is missing or truncated
 */
function packagesIn(lockFile) {
  try {
    return JSON.parse(read(lockFile) ?? "{}").packages;
  } catch {
    return undefined;
  }
}

/**
 * @param {Record<string, LockedPackage>} present
 * @param {Record<string, LockedPackage>} wanted
 */
function covers(present, wanted) {
  return Object.entries(wanted).every(([location, entry]) => {
    if (location === "") return true;
    const found = present[location];
    // The lock file lists builds for other platforms, which npm does not install.
    if (!found) return entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

// package-lock.json can list packages that npm does not install, for example a dependency that was
// removed from package.json. The stamp records that this lock file produced the current install.

/** @param {string} folder */
function isStamped(folder) {
  return read(stampIn(folder)) === fingerprint(folder);
}

/** @param {string} folder */
function fingerprint(folder) {
  const contents = [wantedIn(folder), presentIn(folder)].map((file) => read(file) ?? "");
  return crypto.createHash("sha256").update(contents.join("\0")).digest("hex");
}

/** @param {string} folder */
const wantedIn = (folder) => path.join(folder, "package-lock.json");
/** @param {string} folder */
const presentIn = (folder) => path.join(folder, "node_modules", ".package-lock.json");
/** @param {string} folder */
const stampIn = (folder) => path.join(folder, "node_modules", ".installed-from-lock");

/**
 * @param {string} file
 * @returns {string | undefined} undefined if the file does not exist
 */
function read(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
