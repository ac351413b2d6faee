/** Runs the fuzz tests with many inputs, and counts them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Outcome } from "./report";

const countSchema = z.object({ subject: z.string(), runs: z.number() });

/** @param runs the inputs of each fast property; slow ones get fewer */
export function fuzz(runs: number): Outcome {
  const folder = mkdtempSync(join(tmpdir(), "clouddb-fuzzing-"));
  try {
    const countsFile = join(folder, "counts.jsonl");
    const root = join(__dirname, "..");
    const { status } = spawnSync(process.execPath, ["scripts/test.mjs", "tests/fuzz"], {
      cwd: root,
      env: { ...process.env, FUZZ_RUNS: String(runs), FUZZ_COUNTS: countsFile },
      stdio: ["ignore", 2, 2],
    });
    if (status !== 0) return { report: "", violations: ["a property failed"] };
    return { report: reportOf(countsFile), violations: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function reportOf(countsFile: string): string {
  const counts = readFileSync(countsFile, "utf8")
    .trim()
    .split("\n")
    .map((line) => countSchema.parse(JSON.parse(line)));
  const format = (own: typeof counts) =>
    own.reduce((sum, { runs }) => sum + runs, 0).toLocaleString("en-US");
  const rows = [...new Set(counts.map(({ subject }) => subject))].sort().map((subject) => {
    const own = counts.filter((each) => each.subject === subject);
    return `${subject} ${format(own)}`;
  });
  const minutes = Math.max(1, Math.round(performance.now() / 60_000));
  return `Last long run: ${format(counts)} inputs of ${counts.length} properties in ${minutes} minutes, no failure (${rows.join("; ")}).`;
}
