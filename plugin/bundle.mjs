// @ts-check
// Bundles src/main.ts with all dependencies: the engine starts the plugin where nothing is installed.
//
//   node bundle.mjs              into dist/
//   node bundle.mjs <folder>     into another folder, with source maps, to measure the coverage of tests
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleOptions, licensesOf, replace } from "../provider/bundling.mjs";
import { undiciParts, undiciSource } from "../provider/undici.mjs";

const folder = path.dirname(fileURLToPath(import.meta.url));
const [measured] = process.argv.slice(2);
const outdir = measured ?? path.join(folder, "dist");

/**
 * Replaces undici with getters that load a part of it on the first request.
 * @type {import("esbuild").Plugin}
 */
const lateUndici = {
  name: "late-undici",
  setup({ onResolve, onLoad }) {
    const namespace = "undici";
    onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace }));
    onResolve({ filter: /^undici:/ }, ({ path }) => ({ path, namespace }));
    const getters = Object.keys(undiciParts).map(
      (name) => `get ${name}() { return require("undici:${name}"); }`,
    );
    onLoad({ filter: /^undici$/, namespace }, () => ({
      contents: `module.exports = { ${getters.join(", ")} };`,
    }));
    for (const [name, part] of Object.entries(undiciParts)) {
      onLoad({ filter: new RegExp(`^undici:${name}$`), namespace }, () => ({
        contents: undiciSource(part),
        resolveDir: folder,
      }));
    }
  },
};

const { outputFiles, metafile } = await build({
  ...bundleOptions,
  ...(measured === undefined
    ? {}
    : { sourcemap: "inline", sourcesContent: false, minifyWhitespace: false, minifySyntax: false }),
  absWorkingDir: folder,
  outdir,
  write: false,
  metafile: true,
  entryPoints: { "plugin.bundle": "src/main.ts" },
  plugins: [lateUndici],
  alias: { "clouddb-connection-strings": "../connection-strings/src/index.ts" },
});
for (const { path: file, contents } of outputFiles) replace(file, contents);
replace(
  path.join(outdir, "plugin.bundle.LICENSES.txt"),
  licensesOf(folder, Object.keys(metafile.inputs)),
);
