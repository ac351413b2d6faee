// @ts-check
// Bundles src/main.ts with all dependencies, because the engine starts the plugin where nothing is installed.
//
//   node bundle.mjs              into dist/
//   node bundle.mjs <folder>     into another folder, with source maps, to measure the coverage of tests
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { bundleOptions, licensesOf, replace } from "../provider/bundling.mjs";

const folder = path.dirname(fileURLToPath(import.meta.url));
const [measured] = process.argv.slice(2);
const outdir = measured ?? path.join(folder, "dist");

/**
 * Inlines the files that the code reads from its package, because an executable has no files beside it.
 * @type {import("esbuild").Plugin}
 */
const filesOfThePackage = {
  name: "files of the package",
  setup(build) {
    const reading = /readFileSync\(join\(__dirname, "\.\.", "(.+)"\), "utf8"\)/;
    build.onLoad(
      { filter: /(provider.src.version|plugin.src.provider)\.ts$/ },
      ({ path: file }) => {
        const source = readFileSync(file, "utf8");
        const [expression, name] = reading.exec(source) ?? [];
        if (!expression || !name) throw new Error(`${file} no longer reads a file as expected`);
        const text = JSON.stringify(readFileSync(path.join(folder, name), "utf8"));
        return { loader: "ts", contents: source.replace(expression, () => text) };
      },
    );
  },
};

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
  plugins: [filesOfThePackage],
  alias: { "clouddb-connection-strings": "../connection-strings/src/index.ts" },
});
for (const { path: file, contents } of outputFiles) replace(file, contents);
replace(
  path.join(outdir, "plugin.bundle.LICENSES.txt"),
  licensesOf(folder, Object.keys(metafile.inputs)),
);
