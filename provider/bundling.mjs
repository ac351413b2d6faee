// @ts-check
// Shared by the bundles of provider/ and plugin/.
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";

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
