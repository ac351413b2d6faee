/** Runs the soak or the kills, for `npm run soak` (scripts/soak.mjs). */
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { runKills } from "./kills";
import { type Conditions, killsReport, soakReport } from "./report";
import { soak } from "./soak";
import { exitWith } from "./exitCode";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    stacks: { type: "string", default: "30" },
    rounds: { type: "string", default: "3" },
    points: { type: "string", default: "60" },
    write: { type: "boolean", default: false },
  },
});

/** Prints progress to stderr; stdout is for the report. */
function log(line: string): void {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`);
}

function readConditions(): Conditions {
  const output = (command: string, args: readonly string[]) =>
    execFileSync(command, args, { cwd: __dirname, encoding: "utf8" }).trim();
  return {
    cliVersion: output("pulumi", ["version"]),
    revision: output("git", ["describe", "--always", "--dirty", "--exclude", "*"]),
  };
}

/** Runs the soak, and returns its report and its violations. */
async function runSoak(conditions: Conditions) {
  const [seed, stacks, rounds] = [values.seed, values.stacks, values.rounds].map(Number);
  const result = await soak({
    seed: seed ?? 1,
    stacks: stacks ?? 1,
    rounds: rounds ?? 1,
    projects: 3,
    log,
  });
  return { report: soakReport(result, conditions), violations: result.violations };
}

/** Runs the kills, and returns their report and their violations. */
async function killAll(conditions: Conditions) {
  const result = await runKills({ seed: Number(values.seed), points: Number(values.points), log });
  return { report: killsReport(result, conditions), violations: result.violations };
}

async function main(): Promise<number> {
  const isKills = positionals[0] === "kills";
  const conditions = readConditions();
  const { report, violations } = await (isKills ? killAll(conditions) : runSoak(conditions));
  console.log(report);
  if (values.write) {
    const { writeSection } = await import("../../scripts/documentSection.mjs");
    writeSection("reliability.md", isKills ? "kills" : "soak", report);
  }
  return violations.length === 0 ? 0 : 1;
}

exitWith(main);
