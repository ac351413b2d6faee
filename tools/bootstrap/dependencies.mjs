// @ts-check
// The dependencies: installed when node_modules does not hold what package-lock.json asks for.
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Failure } from "../terminal/failure.mjs";
import { step } from "../terminal/console.mjs";
import { capture } from "../terminal/run.mjs";

const LINES_OF_A_FAILURE = 15;

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
  const present = read(presentIn(folder));
  const wanted = read(wantedIn(folder));
  if (present === undefined || wanted === undefined) return false;
  return covers(JSON.parse(present).packages, JSON.parse(wanted).packages) || isStamped(folder);
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean }} LockedPackage
 * @param {Record<string, LockedPackage>} present
 * @param {Record<string, LockedPackage>} wanted
 */
function covers(present, wanted) {
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
  // NODE_ENV=production would leave out the tools, and `npm run -s` would silence the errors.
  const args = ["ci", "--include=dev", "--loglevel=error"];
  const { code, output } = await capture("npm", args, { cwd: folder });
  if (code === 0) return stamp(folder);
  const lines = output.trim().split("\n").slice(0, LINES_OF_A_FAILURE);
  throw new Failure(
    `npm ci failed:\n${lines.join("\n")}\n` +
      "It needs a package registry it can reach, and a package-lock.json that fits package.json.",
  );
}

// A lock can list more than npm installs from it (a dependency that package.json no longer has):
// the stamp says that an install from this very lock gave what is there now.

/** @param {string} folder */
function stamp(folder) {
  fs.writeFileSync(stampIn(folder), fingerprint(folder));
}

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
 * @returns {string | undefined} undefined if there is no such file
 */
function read(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
