// @ts-check
// Bundles src/runtime.ts with its dependencies (docs/decisions/0010-bundled-runtime.md).
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(folder, "dist");

/**
 * What api/transport.ts uses of undici, each in a bundle of its own: a process loads one of them. An
 * agent comes with the methods it needs, put together as undici's index.js does. The rest, among it
 * fetch and WebSocket, would more than double the time it takes to load.
 */
const partsOfUndici = {
  Agent: { file: "agent", methods: ["request"] },
  // It asks its proxy with `connect`.
  EnvHttpProxyAgent: { file: "env-http-proxy-agent", methods: ["request", "connect"] },
};

async function bundle() {
  /** @type {import("esbuild").BuildOptions} */
  const options = {
    absWorkingDir: folder,
    outdir: "dist",
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    // Names stay, for stack traces; the maps lead to the lines of the sources.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: "linked",
    sourcesContent: false,
    legalComments: "none",
    logLevel: "error",
  };
  const results = await Promise.all([
    build({
      ...options,
      entryPoints: { "runtime.bundle": "src/runtime.ts" },
      external: ["@pulumi/pulumi", "@grpc/grpc-js"],
      // From its sources, so that the bundle holds only what a lookup uses.
      alias: { "clouddb-connection-strings": "../connection-strings/src/index.ts" },
      plugins: [undiciApart],
    }),
    ...Object.entries(partsOfUndici).map(([name, part]) =>
      build({
        ...options,
        stdin: { contents: partOfUndici(part), resolveDir: folder, sourcefile: `${name}.cjs` },
        entryNames: `${name}.bundle`,
        plugins: [unusedByUndici],
      }),
    ),
  ]);
  const files = results.flatMap(({ outputFiles = [] }) => outputFiles);
  for (const { path: file, contents } of files) replace(file, contents);
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
  replace(path.join(dist, "runtime.bundle.LICENSES.txt"), licensesOf(inputs));
}

/** @param {{ file: string, methods: string[] }} part */
function partOfUndici({ file, methods }) {
  const added = methods.map((method) => `${method}: require("undici/lib/api/api-${method}")`);
  return `
    const { prototype } = require("undici/lib/dispatcher/dispatcher");
    Object.assign(prototype, { ${added.join(", ")} });
    module.exports = require("undici/lib/dispatcher/${file}");`;
}

/**
 * What undici requires only for requests that are not made here (of forms), or in place of its parser
 * for processors with SIMD (on others, or where it is told to), stays in its package.
 * @type {import("esbuild").Plugin}
 */
const unusedByUndici = {
  name: "unused-by-undici",
  setup({ onResolve }) {
    onResolve({ filter: /\/(web\/fetch\/body|llhttp\/llhttp-wasm)(\.js)?$/ }, ({ path }) => ({
      path: path.replace(/^(\.\.\/)+/, "undici/lib/"),
      external: true,
    }));
  },
};

/**
 * Loaded when the first request is made.
 * @type {import("esbuild").Plugin}
 */
const undiciApart = {
  name: "undici-apart",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "apart" }));
    onResolve({ filter: /^\.\/.*\.bundle\.js$/ }, ({ path }) => ({ path, external: true }));
    const getters = Object.keys(partsOfUndici).map(
      (name) => `get ${name}() { return require("./${name}.bundle.js"); }`,
    );
    onLoad({ filter: /./, namespace: "apart" }, () => ({
      contents: `module.exports = { ${getters.join(", ")} };`,
    }));
  },
};

/**
 * The licenses of what is in the bundles.
 * @param {string[]} inputs
 */
function licensesOf(inputs) {
  const packages = new Set(inputs.flatMap((file) => /.*node_modules\/[^/]+/.exec(file)?.[0] ?? []));
  return [...packages]
    .sort()
    .map((name) => {
      const home = path.join(folder, name);
      const license = fs.readdirSync(home).find((file) => /^licen[cs]e/i.test(file));
      if (license === undefined) throw new Error(`${name} has no license file`);
      return `${path.basename(name)}\n\n${fs.readFileSync(path.join(home, license), "utf8").trim()}\n`;
    })
    .join("\n\n");
}

/**
 * In one step: a process that starts meanwhile loads the old file or the new one.
 * @param {string} file
 * @param {string | Uint8Array} contents
 */
function replace(file, contents) {
  fs.writeFileSync(`${file}.${process.pid}`, contents);
  fs.renameSync(`${file}.${process.pid}`, file);
}

await bundle();
