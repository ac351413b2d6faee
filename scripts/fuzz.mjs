// @ts-check
/** `npm run fuzz:long`: runs the tests of hostile input with many inputs, and records their number. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { writeSection } from "./documentSection.mjs";
import { run } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run fuzz:long             20,000 inputs for each fast property, fewer for the others; writes the
                              numbers of inputs to docs/reliability.md
npm run fuzz:long -- <runs>   another number of inputs`;

const defaultRuns = 20_000;

await command(help, async (args) => {
  const [runs = defaultRuns, ...others] = args.map(Number);
  if (others.length > 0 || !Number.isInteger(runs) || runs < 1) {
    throw new Failure(`Expected a number of inputs.\n${help}`);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "clouddb-fuzzing-"));
  try {
    const countsFile = path.join(folder, "counts.jsonl");
    const env = { ...process.env, FUZZ_RUNS: String(runs), FUZZ_COUNTS: countsFile };
    const started = Date.now();
    const code = await run(
      process.execPath,
      [path.join("scripts", "test.mjs"), path.join("tests", "fuzz")],
      {
        cwd: root,
        env,
      },
    );
    if (code !== 0) return code;
    writeSection("reliability.md", "fuzzing", table(countsFile, (Date.now() - started) / 60_000));
    return 0;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

/**
 * @param {string} countsFile
 * @param {number} minutes
 */
function table(countsFile, minutes) {
  /** @type {Map<string, { properties: number, runs: number }>} */
  const bySubject = new Map();
  for (const line of fs.readFileSync(countsFile, "utf8").trim().split("\n")) {
    /** @type {{ subject: string, runs: number }} */
    const { subject, runs } = JSON.parse(line);
    const counts = bySubject.get(subject) ?? { properties: 0, runs: 0 };
    counts.properties += 1;
    counts.runs += runs;
    bySubject.set(subject, counts);
  }
  const total = [...bySubject.values()].reduce((sum, { runs }) => sum + runs, 0);
  const rows = [...bySubject]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([subject, { properties, runs }]) => `| ${subject} | ${properties} | ${format(runs)} |`);
  return [
    `Last long run: ${format(total)} inputs in ${Math.max(1, Math.round(minutes))} minutes, no failure.`,
    "",
    "| hostile input | properties | inputs |",
    "|---|---:|---:|",
    ...rows,
  ].join("\n");
}

/** @param {number} count */
function format(count) {
  return count.toLocaleString("en-US");
}
