// @ts-check
/**
 * Lets Node.js load TypeScript without checking types, which `npm run lint` does. Compiled files are cached by their
 * content, because every worker of Mocha loads the same ones.
 */
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

const cache = path.join(__dirname, "..", "node_modules", ".cache", "clouddb", "transpiled");
fs.mkdirSync(cache, { recursive: true });

/**
 * @param {{ _compile: (code: string, file: string) => void }} module
 * @param {string} file
 */
function load(module, file) {
  // Tests replace parts of undici, which its bundle hides.
  const source = fs.readFileSync(file, "utf8").replace('require("#undici")', 'require("undici")');
  // The path is part of the source map.
  const hash = createHash("sha256").update(`${file}\n${source}`).digest("hex");
  const compiled = path.join(cache, `${hash}.js`);
  if (!fs.existsSync(compiled)) {
    fs.writeFileSync(`${compiled}.${process.pid}`, compile(source, file));
    fs.renameSync(`${compiled}.${process.pid}`, compiled);
  }
  module._compile(fs.readFileSync(compiled, "utf8"), file);
}

/**
 * @param {string} source
 * @param {string} file
 */
function compile(source, file) {
  /** @type {import("esbuild").TransformOptions} */
  const options = { loader: "ts", format: "cjs", platform: "node", target: "node20" };
  const { transformSync } = require("esbuild");
  return transformSync(source, { ...options, sourcemap: "inline", sourcefile: file }).code;
}

Object.assign(require.extensions, { ".ts": load });
