/** Runs Stryker for some subjects, and summarizes its reports. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Outcome } from "../report";
import subjects from "./subjects.json";

const root = join(__dirname, "..", "..");

/** The parts of Stryker's report that are read. */
const reportSchema = z.object({
  files: z.record(z.string(), z.object({ mutants: z.array(z.object({ status: z.string() })) })),
});

/**
 * @param names the subjects; none for all
 * @param log whether Stryker's output is shown, or only if it ends without a report
 */
export function mutation(names: readonly string[], log: "inherit" | "pipe" = "inherit"): Outcome {
  const selected = names.length > 0 ? names : Object.keys(subjects);
  const results = selected.map((name) => ({ name, ...testMutants(name, log) }));
  const scores = results.map(({ name, noticed, score, missed }) => {
    return `${name} ${score.toFixed(1)} % (${noticed} noticed, ${missed} missed)`;
  });
  const report = `Detected mutants: ${scores.join("; ")}.`;
  const failed = results.filter(({ reached }) => !reached);
  return { report, violations: failed.map(({ name, score }) => `${name}: ${score.toFixed(1)} %`) };
}

function testMutants(name: string, log: "inherit" | "pipe") {
  const stryker = join(root, "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
  const file = join(root, ".clouddb", `mutation-${name}.json`);
  rmSync(file, { force: true });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [stryker, "run", join(__dirname, "stryker.config.mjs")],
    {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", log, log],
      // Otherwise, the coverage of mutated code would be measured, too.
      env: {
        ...process.env,
        MUTATION_SUBJECT: name,
        TESTED_PROVIDER: "lifecycles",
        NODE_V8_COVERAGE: "",
      },
    },
  );
  if (!existsSync(file)) {
    throw new Error(`Stryker ended with ${status} and no report.\n${stdout}\n${stderr}`);
  }
  const { files } = reportSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  const counts = new Map<string, number>();
  for (const mutant of Object.values(files).flatMap(({ mutants }) => mutants)) {
    counts.set(mutant.status, (counts.get(mutant.status) ?? 0) + 1);
  }
  const sum = (...statuses: string[]) =>
    statuses.reduce((total, each) => total + (counts.get(each) ?? 0), 0);
  const [noticed, missed] = [sum("Killed", "Timeout"), sum("Survived", "NoCoverage")];
  return { noticed, missed, score: (100 * noticed) / (noticed + missed), reached: status === 0 };
}
