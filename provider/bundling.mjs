// @ts-check
// What the bundles of provider/ and plugin/ have in common.
import fs from "node:fs";
import path from "node:path";

/** @type {import("esbuild").BuildOptions} */
export const bundleOptions = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  // Identifiers are kept, so that stack traces are readable; source maps lead to the original lines.
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: "linked",
  sourcesContent: false,
  legalComments: "none",
  logLevel: "error",
};

/**
 * Returns the licenses of the packages in a bundle.
 * @param {string} folder the folder that the paths are relative to
 * @param {string[]} inputs the paths of the bundled files
 */
export function licensesOf(folder, inputs) {
  const packages = new Set(
    inputs.flatMap((file) => /.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  return [...packages]
    .sort()
    .map((name) => {
      const home = path.join(folder, name);
      const title = name.replace(/.*node_modules\//, "");
      return `${title}\n\n${licenseIn(home, title)}\n`;
    })
    .join("\n\n");
}

/**
 * @param {string} home the folder of a package
 * @param {string} title the name of the package
 */
function licenseIn(home, title) {
  const file = fs.readdirSync(home).find((name) => /^licen[cs]e/i.test(name));
  if (file !== undefined) return fs.readFileSync(path.join(home, file), "utf8").trim();
  const { license } = JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${title} has no license`);
  return license;
}

/**
 * Replaces a file in one step, so that a process that starts meanwhile loads the old file or the new one.
 * @param {string} file
 * @param {string | Uint8Array} contents
 */
export function replace(file, contents) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.${process.pid}`, contents);
  fs.renameSync(`${file}.${process.pid}`, file);
}
