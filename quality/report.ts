/** The options, conditions, tables and documents of all commands of `npm run quality`. */
import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..");

/** The result of a command. */
export interface Outcome {
  /** Markdown. */
  readonly report: string;
  /** The expectations that were not met. */
  readonly violations: readonly string[];
  /** What else `--write` writes, as arguments of {@link writeReport}. */
  readonly documents?: readonly (readonly [string, string | undefined, string])[];
}

/** The values of the options. An omitted number has its default. */
export interface Options {
  readonly number: (name: string) => number;
  readonly flag: (name: string) => boolean;
  readonly text: (name: string) => string | undefined;
  readonly positionals: readonly string[];
}

/** The conditions of a run. */
export interface Conditions {
  readonly cliVersion: string;
  /** The tested commit; ends with `-dirty` if the code differs from it. */
  readonly revision: string;
}

export function readConditions(): Conditions {
  const output = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd: root, encoding: "utf8" }).trim();
  // Results of earlier runs in the documentation do not count.
  const isChanged = output("git", "status", "--porcelain", "--", ".", ":!docs") !== "";
  return {
    cliVersion: output("pulumi", "version"),
    revision: `${output("git", "rev-parse", "--short", "HEAD")}${isChanged ? "-dirty" : ""}`,
  };
}

/** Prints progress to stderr; stdout is for the report. */
export function log(line: string): void {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`);
}

/** Returns the duration and the conditions of a run as a text. */
export function conditionsText(): string {
  const { cliVersion, revision } = readConditions();
  const minutes = (performance.now() / 60_000).toFixed(0);
  return `${minutes} min, Node.js ${process.version}, Pulumi CLI ${cliVersion}, commit ${revision}.`;
}

/** Lists the violations of a run. */
export function verdictText(violations: readonly string[]): string {
  if (violations.length === 0) return "No violations.";
  return [`${violations.length} violations:`, ...violations.map((text) => `- ${text}`)].join("\n");
}

export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/**
 * Writes a report into its document.
 *
 * @param document the path of a file in the repository
 * @param section replaces the text between `<!-- section:start -->` and `<!-- section:end -->`; undefined: the
 *   report is the whole file
 */
export function writeReport(document: string, section: string | undefined, report: string): void {
  const file = join(root, document);
  writeFileSync(`${file}.${process.pid}`, section === undefined ? `${report}\n` : replaced());
  renameSync(`${file}.${process.pid}`, file);

  function replaced(): string {
    const [start, end] = [`<!-- ${section}:start -->`, `<!-- ${section}:end -->`];
    const current = readFileSync(file, "utf8");
    const [from, to] = [current.indexOf(start), current.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${file} has no section ${start} ... ${end}.`);
    return `${current.slice(0, from)}${start}\n${report}\n${current.slice(to)}`;
  }
}
