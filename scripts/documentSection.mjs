// @ts-check
/** Writes the results of long runs into sections of documents. */
import fs from "node:fs";
import path from "node:path";
import { Failure } from "./terminal.mjs";
import { root } from "./workspace.mjs";

/**
 * Replaces a section: the text between `<!-- name:start -->` and `<!-- name:end -->`.
 * @param {string} document its name in docs/
 * @param {string} name
 * @param {string} text
 * @throws {Failure} if the document has no such section
 */
export function writeSection(document, name, text) {
  const file = path.join(root, "docs", document);
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const current = fs.readFileSync(file, "utf8");
  const [from, to] = [current.indexOf(start), current.indexOf(end)];
  if (from < 0 || to < from) {
    throw new Failure(`${file} has no section between ${start} and ${end}.`);
  }
  const updated = `${current.slice(0, from)}${start}\n${text}\n${current.slice(to)}`;
  fs.writeFileSync(`${file}.${process.pid}`, updated);
  fs.renameSync(`${file}.${process.pid}`, file);
}
