// @ts-check
// Bundles src/main.ts with all dependencies, because the engine starts the plugin where nothing is installed.
//
//   node bundle.mjs              into dist/
//   node bundle.mjs <folder>     into another folder, with source maps, to measure the coverage of tests
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { bundleOptions, licensesOf, recordBuild, replace } from "../provider/bundling.mjs";

const folder = path.dirname(fileURLToPath(import.meta.url));
const [measured] = process.argv.slice(2);
const started = Date.now();
const outdir = measured ?? path.join(folder, "dist");

const { outputFiles, metafile } = await esbuild.build({
  ...bundleOptions,
  ...(measured === undefined
    ? {}
    : { sourcemap: "inline", sourcesContent: false, minifyWhitespace: false, minifySyntax: false }),
  absWorkingDir: folder,
  outdir,
  write: false,
  metafile: true,
  entryPoints: { "plugin.bundle": "src/main.ts" },
  alias: {
    "clouddb-connection-strings": "../connection-strings/src/index.ts",
    "#undici": "undici",
  },
});
const inputs = Object.keys(metafile.inputs);
const licenses = path.join(outdir, "plugin.bundle.LICENSES.txt");
for (const { path: file, contents } of outputFiles) replace(file, contents);
replace(licenses, licensesOf(folder, inputs));
const outputs = [...Object.keys(metafile.outputs), licenses];
if (measured === undefined) recordBuild(folder, { started, inputs, outputs });
