/**
 * The module `pulumi-clouddb/runtime`: runtime.ts out of its bundle, since the engine starts a
 * provider process for every operation on a stack, and loading two files takes it a fraction of what
 * two hundred take (docs/decisions/0010-bundled-runtime.md).
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type Runtime from "./runtime";

export = load();

/** In a working copy the compiler may have run since the bundle was made: then its output counts. */
function load(): typeof Runtime {
  const bundled = modified("runtime.bundle.js");
  const compiled = modified(".tsbuildinfo");
  const file = bundled > compiled ? "./runtime.bundle.js" : "./runtime.js";
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- one of two, as they are here
  return require(file) as typeof Runtime;
}

/** In milliseconds since 1970; -1 if the file does not exist. */
function modified(name: string): number {
  return statSync(join(__dirname, name), { throwIfNoEntry: false })?.mtimeMs ?? -1;
}
