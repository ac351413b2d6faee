// @ts-check
/** A copy of the checkout, in which bugs are planted, so that the checkout itself never has one. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Failure } from "../../scripts/terminal.mjs";
import { root } from "../../scripts/workspace.mjs";

/** What a copy does not need, or links to. */
const omitted = [".git", ".clouddb", "coverage", "node_modules"];

/**
 * A row of bugs.jsonl. `from`: a text that is in the file exactly once; `to`: what replaces it; `what`: what it breaks;
 * `tests`: the test files that fail then; `statement`: the row of the simulator's conformance.md that it breaks, whose
 * tests must fail.
 * @typedef {{ id: string, statement?: string, file: string, from: string, to: string, what: string, tests: string[] }} Bug
 */

/**
 * Copies the checkout with its built packages. The dependencies are linked.
 * @returns {string} the temporary folder of the copy
 */
export function copyCheckout() {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "clouddb-planted-bugs-"));
  fs.cpSync(root, folder, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !omitted.includes(path.basename(source)),
  });
  linkDependencies(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  return folder;
}

/**
 * Links each dependency. A link to a package of the workspace is copied, so that it leads to the package of the copy.
 * @param {string} from
 * @param {string} to
 */
function linkDependencies(from, to) {
  fs.mkdirSync(to);
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    // The folder .cache belongs to the checkout.
    if (entry.name.startsWith(".")) continue;
    const source = path.join(from, entry.name);
    const target = entry.isSymbolicLink() ? fs.readlinkSync(source) : source;
    fs.symlinkSync(target, path.join(to, entry.name));
  }
}

/**
 * Plants a bug in the source and in the built package, which other packages and the tests import.
 * @param {string} copy
 * @param {Bug} bug
 * @returns {Promise<() => void>} restores the files
 * @throws {Failure} if the text is not in the file exactly once
 */
export async function plant(copy, bug) {
  // Imported here, because the command installs the dependencies.
  const { transform } = await import("esbuild");
  const source = path.join(copy, bug.file);
  const built = path.join(copy, bug.file.replace("/src/", "/dist/").replace(/\.ts$/, ".js"));
  const planted = plantedText(copy, bug);
  const { code: compiled } = await transform(planted, {
    loader: "ts",
    format: "cjs",
    platform: "node",
    target: "node20",
  });
  const originals = [source, built].map((file) => ({ file, text: fs.readFileSync(file, "utf8") }));
  fs.writeFileSync(source, planted);
  fs.writeFileSync(built, compiled);
  return () => {
    for (const { file, text } of originals) fs.writeFileSync(file, text);
  };
}

/**
 * Returns the text of a source with a bug.
 * @param {string} checkout
 * @param {Bug} bug
 * @throws {Failure} if the text is not in the file exactly once
 */
export function plantedText(checkout, { id, file, from, to }) {
  const source = path.join(checkout, file);
  const text = fs.existsSync(source) ? fs.readFileSync(source, "utf8") : undefined;
  const [before = "", ...after] = (text ?? "").split(from);
  if (after.length === 1) return `${before}${to}${after[0]}`;
  const found =
    text === undefined ? "there is no such file" : `its text occurs ${after.length} times`;
  throw new Failure(
    `Cannot plant ${id} in ${file}: ${found}. Change its row in quality/plantedBugs/bugs.jsonl, so that it plants the ` +
      "same bug in the present code, or delete the row if that code is gone.",
  );
}
