// @ts-check
/** Writes the results of long runs into the sections of docs/reliability.md. */
import fs from "node:fs";
import path from "node:path";
import { Failure } from "./terminal/failure.mjs";
import { root } from "./workspace.mjs";

const file = path.join(root, "docs", "reliability.md");

/**
 * Replaces a section: the text between `<!-- name:start -->` and `<!-- name:end -->`.
 * @param {string} name
 * @param {string} text
 * @throws {Failure} if the document has no such section
 */
export function writeSection(name, text) {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const document = fs.readFileSync(file, "utf8");
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) {
    throw new Failure(`${file} has no section between ${start} and ${end}.`);
  }
  const updated = `${document.slice(0, from)}${start}\n${text}\n${document.slice(to)}`;
  fs.writeFileSync(`${file}.${process.pid}`, updated);
  fs.renameSync(`${file}.${process.pid}`, file);
}
