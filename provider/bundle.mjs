// @ts-check
// Bundles src/runtime.ts with its dependencies, and undici (docs/internals/decisions.md#0010-bundled-runtime).
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleOptions, licensesOf, recordBuild, replace } from "./bundling.mjs";

const folder = path.dirname(fileURLToPath(import.meta.url));
const started = Date.now();

const { outputFiles, metafile } = await build({
  ...bundleOptions,
  absWorkingDir: folder,
  outdir: "dist",
  write: false,
  metafile: true,
  entryPoints: { "runtime.bundle": "src/runtime.ts", "undici.bundle": "undici" },
  // Node.js finds the names that an ES module can import in this text; it is never run.
  footer: {
    js: "0 && (module.exports = { privateIpMode, clusterConnectionStrings, databaseUrl });",
  },
  external: ["@pulumi/pulumi", "@grpc/grpc-js", "#undici"],
  // Bundled from its sources, so that the bundle contains only the code that a lookup uses.
  alias: { "clouddb-connection-strings": "../connection-strings/src/index.ts" },
});
const inputs = Object.keys(metafile.inputs);
const licenses = path.join(folder, "dist", "runtime.bundle.LICENSES.txt");
for (const { path: file, contents } of outputFiles) replace(file, contents);
replace(licenses, licensesOf(folder, inputs));
const outputs = [...Object.keys(metafile.outputs), licenses];
recordBuild(folder, { started, inputs, outputs });
