// @ts-check
// Bundles src/main.ts with all dependencies: the engine starts the plugin where nothing is installed.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleOptions, licensesOf, replace } from "../provider/bundling.mjs";

const folder = path.dirname(fileURLToPath(import.meta.url));

const { outputFiles, metafile } = await build({
  ...bundleOptions,
  absWorkingDir: folder,
  outdir: "dist",
  write: false,
  metafile: true,
  entryPoints: { "plugin.bundle": "src/main.ts" },
  alias: { "clouddb-connection-strings": "../connection-strings/src/index.ts" },
});
for (const { path: file, contents } of outputFiles) replace(file, contents);
replace(
  path.join(folder, "dist", "plugin.bundle.LICENSES.txt"),
  licensesOf(folder, Object.keys(metafile.inputs)),
);
