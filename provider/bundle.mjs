// @ts-check
// Bundles src/runtime.ts with its dependencies (docs/decisions/0010-bundled-runtime.md).
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleOptions, licensesOf, replace } from "./bundling.mjs";
import { undiciParts, undiciSource } from "./undici.mjs";

const folder = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(folder, "dist");

async function bundle() {
  /** @type {import("esbuild").BuildOptions} */
  const options = {
    ...bundleOptions,
    absWorkingDir: folder,
    outdir: "dist",
    write: false,
    metafile: true,
  };
  const results = await Promise.all([
    build({
      ...options,
      entryPoints: { "runtime.bundle": "src/runtime.ts" },
      // Node.js finds the names that an ES module can import in this text; it is never run.
      footer: { js: "0 && (module.exports = { privateIpMode, clusterConnectionStrings });" },
      external: ["@pulumi/pulumi", "@grpc/grpc-js"],
      // Bundled from its sources, so that the bundle contains only the code that a lookup uses.
      alias: { "clouddb-connection-strings": "../connection-strings/src/index.ts" },
      plugins: [separateUndici],
    }),
    ...Object.entries(undiciParts).map(([name, part]) =>
      build({
        ...options,
        stdin: { contents: undiciSource(part), resolveDir: folder, sourcefile: `${name}.cjs` },
        entryNames: `${name}.bundle`,
        plugins: [rarelyUsedByUndici],
      }),
    ),
  ]);
  const files = results.flatMap(({ outputFiles = [] }) => outputFiles);
  for (const { path: file, contents } of files) replace(file, contents);
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
  replace(path.join(dist, "runtime.bundle.LICENSES.txt"), licensesOf(folder, inputs));
}

/**
 * Leaves modules in undici's package that this provider rarely needs: the support for form bodies, and
 * the parser for processors without SIMD.
 * @type {import("esbuild").Plugin}
 */
const rarelyUsedByUndici = {
  name: "rarely-used-by-undici",
  setup({ onResolve }) {
    onResolve({ filter: /\/(web\/fetch\/body|llhttp\/llhttp-wasm)(\.js)?$/ }, ({ path }) => ({
      path: path.replace(/^(\.\.\/)+/, "undici/lib/"),
      external: true,
    }));
  },
};

/**
 * Replaces undici with getters that load its bundles on the first request.
 * @type {import("esbuild").Plugin}
 */
const separateUndici = {
  name: "separate-undici",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "separate-undici" }));
    onResolve({ filter: /^\.\/.*\.bundle\.js$/ }, ({ path }) => ({ path, external: true }));
    const getters = Object.keys(undiciParts).map(
      (name) => `get ${name}() { return require("./${name}.bundle.js"); }`,
    );
    onLoad({ filter: /./, namespace: "separate-undici" }, () => ({
      contents: `module.exports = { ${getters.join(", ")} };`,
    }));
  },
};

await bundle();
