// @ts-check
// Where things are in this repository, and what its package.json says.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The backend, the simulator's state and its certificate: everything the demo stack keeps. */
export const demoFolder = path.join(root, ".clouddb");

/**
 * The root package.json.
 * @returns {{ engines: { node: string }, devDependencies: Record<string, string> }}
 */
export function manifest() {
  return JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
}

/**
 * A script that an installed dependency brings, to be run with this Node.
 * @param {string} script its path below node_modules
 */
export function installed(script) {
  return path.join(root, "node_modules", script);
}
