// @ts-check
/** Lets Node.js load TypeScript without checking types, which `npm run lint` does. */
const Module = require("node:module");
const path = require("node:path");
const { register } = require("ts-node");

register({ cwd: path.join(__dirname, ".."), swc: true });

// Tests replace parts of undici, which its bundle hides.
const resolve = Reflect.get(Module, "_resolveFilename");
Reflect.set(
  Module,
  "_resolveFilename",
  (/** @type {string} */ name, /** @type {unknown[]} */ ...others) =>
    resolve.call(Module, name === "#undici" ? "undici" : name, ...others),
);
