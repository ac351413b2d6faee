// @ts-check
/** Paths in this repository, and its package.json. */
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The folder of the demo stack. Benchmarks use others; tests set PULUMI_CLOUDDB_DEMO_FOLDER. */
export const demoFolder =
  process.env.PULUMI_CLOUDDB_DEMO_FOLDER ?? path.join(root, ".clouddb", "demo");

/**
 * Reads the root package.json.
 * @returns {{ engines: { node: string } }}
 */
export function manifest() {
  return JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
}

/**
 * Returns the path of a script of an installed dependency.
 * @param {string} script its path in node_modules
 */
export function installed(script) {
  return path.join(root, "node_modules", script);
}
