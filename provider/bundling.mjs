// @ts-check
// Shared by the bundles of provider/ and plugin/.
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** @type {import("esbuild").BuildOptions} */
export const bundleOptions = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  // Identifiers are kept, so that stack traces are readable.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  logLevel: "error",
};

/**
 * Returns the licenses of the packages in a bundle, each below a line like `zod@4.6.7 (MIT)`.
 * @param {string} folder the folder that the paths are relative to
 * @param {string[]} inputs the paths of the bundled files
 */
export function licensesOf(folder, inputs) {
  const packages = new Set(
    inputs.flatMap((file) => /.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  return [...packages]
    .sort()
    .map((name) => licenseOf(path.join(folder, name)))
    .join("\n\n");
}

/** @param {string} home the folder of a package */
function licenseOf(home) {
  const text = fs.readFileSync(path.join(home, "package.json"), "utf8");
  const { name, version, license } = JSON.parse(text);
  if (typeof license !== "string") throw new Error(`${name} has no license`);
  const file = fs.readdirSync(home).find((entry) => /^licen[cs]e/i.test(entry));
  const terms = file === undefined ? license : fs.readFileSync(path.join(home, file), "utf8");
  return `${name}@${version} (${license})\n\n${terms.trim()}\n`;
}

/**
 * Replaces a file in one step, so that a process that starts meanwhile loads the old file or the new one. Does
 * nothing if the contents are the same, because another process may be packing the folder.
 * @param {string} file
 * @param {string | Uint8Array} contents
 */
export function replace(file, contents) {
  if (fs.existsSync(file) && fs.readFileSync(file).equals(Buffer.from(contents))) return;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.${process.pid}`, contents);
  fs.renameSync(`${file}.${process.pid}`, file);
}

/**
 * Returns whether the bundles of a package are current: what they were built from, and they themselves, have the same
 * sizes and times as when `recordBuild` recorded them. This also works in a copy of the repository.
 * @param {string} folder the folder of the package
 */
export function isCurrent(folder) {
  const record = recordOf(folder);
  if (!fs.existsSync(record)) return false;
  /** @type {Record<string, string>} */
  const files = JSON.parse(fs.readFileSync(record, "utf8"));
  return Object.entries(files).every(
    ([file, recorded]) => fingerprint(path.resolve(root, file)) === recorded,
  );
}

/**
 * Records what the bundles of a package were built from, so that the next build can skip them.
 * @param {string} folder the folder of the package
 * @param {{ started: number, inputs: string[], outputs: string[] }} build started: in milliseconds since 1970; inputs
 *   and outputs: paths, which may be relative to the folder
 */
export function recordBuild(folder, { started, inputs, outputs }) {
  const decisive = [
    ...inputs,
    "bundle.mjs",
    "package.json",
    "tsconfig.json",
    path.join(root, "provider", "bundling.mjs"),
    path.join(root, "tsconfig.json"),
    // npm writes it when it installs other dependencies.
    path.join(root, "node_modules", ".package-lock.json"),
  ].map((file) => path.resolve(folder, file));
  // A file that changed during the build may have been read before the change.
  if (decisive.some((file) => fs.statSync(file).mtimeMs >= started)) return;
  const files = [...decisive, ...outputs.map((file) => path.resolve(folder, file))];
  // Relative paths, because a copy of the repository has a copy of the record.
  const fingerprints = Object.fromEntries(
    files.map((file) => [path.relative(root, file), fingerprint(file)]),
  );
  replace(recordOf(folder), JSON.stringify(fingerprints));
}

/** @param {string} folder the folder of a package */
function recordOf(folder) {
  const name = `${path.basename(folder)}.json`;
  return path.join(root, "node_modules", ".cache", "clouddb", "bundles", name);
}

/** @param {string} file */
function fingerprint(file) {
  const stats = fs.statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "missing" : `${stats.size} ${stats.mtimeMs}`;
}
