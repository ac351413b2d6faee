/** Writes the results into the sections of docs/reliability.md. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = join(__dirname, "..", "docs", "reliability.md");

/**
 * Replaces a section: the text between `<!-- name:start -->` and `<!-- name:end -->`.
 *
 * @throws Error if the document has no such section
 */
export function writeSection(name: string, text: string): void {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const document = readFileSync(file, "utf8");
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no section between ${start} and ${end}.`);
  const updated = `${document.slice(0, from)}${start}\n${text}\n${document.slice(to)}`;
  writeFileSync(`${file}.${process.pid}`, updated);
  renameSync(`${file}.${process.pid}`, file);
}
