/**
 * The module `pulumi-clouddb/runtime`: loads runtime.ts from its bundle. The engine starts a provider
 * process for every operation on a stack, and two files load much faster than two hundred
 * (docs/decisions/0010-bundled-runtime.md).
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type Runtime from "./runtime";

export = load();

/** Loads the bundle, or the compiler's output if that is newer, as in a working copy. */
function load(): typeof Runtime {
  const bundled = modified("runtime.bundle.js");
  const compiled = modified(".tsbuildinfo");
  const file = bundled > compiled ? "./runtime.bundle.js" : "./runtime.js";
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- one of two, as they are here
  return require(file) as typeof Runtime;
}

/** Returns when a file was modified, in milliseconds since 1970; -1 if it does not exist. */
function modified(name: string): number {
  return statSync(join(__dirname, name), { throwIfNoEntry: false })?.mtimeMs ?? -1;
}
