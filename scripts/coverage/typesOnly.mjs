// @ts-check
/** Finds the sources that compile to no code, which no test can run. */
import fs from "node:fs";
import path from "node:path";
import ts from "typescript";
import { root } from "../workspace.mjs";

/** The folders whose coverage is measured, as listed in package.json. */
const folders = ["connection-strings", "plugin", "provider", "simulator"];

/** @returns {string[]} the paths, relative to the repository */
export function filesWithTypesOnly() {
  return folders
    .map((name) => path.join(name, "src"))
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
        .map((name) => path.join(folder, name)),
    )
    .filter((file) => file.endsWith(".ts") && hasTypesOnly(path.join(root, file)));
}

/** @param {string} file */
function hasTypesOnly(file) {
  const compilerOptions = { module: ts.ModuleKind.ESNext, removeComments: true };
  const { outputText } = ts.transpileModule(fs.readFileSync(file, "utf8"), { compilerOptions });
  return outputText.trim() === "export {};";
}
