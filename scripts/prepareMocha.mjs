// @ts-check
/**
 * Prepares what `npm test` prepares, for tests that an editor or `npx mocha FILE` runs with .mocharc.json: the packages
 * and the environment. Tests with the Pulumi CLI need it on PATH.
 */
import { execFileSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { testEnvironment } from "./environment.mjs";
import { root } from "./workspace.mjs";

const environment = testEnvironment(undefined);
for (const name of Object.keys(process.env)) {
  if (!(name in environment)) Reflect.deleteProperty(process.env, name);
}
Object.assign(process.env, environment);

// In a process of its own, because the scripts replace the handlers of signals, which Mocha has itself.
execFileSync(process.execPath, [path.join(root, "scripts", "build.mjs")], { stdio: "inherit" });
