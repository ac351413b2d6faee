/** Runs the compatibility matrix, for `npm run matrix` (scripts/matrix.mjs). */
import { execFileSync } from "node:child_process";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { temporaryFolder } from "../../tests/cleanup";
import { exitWith } from "../soak/exitCode";
import { withReleases } from "../soak/releases";
import { judge } from "./knownFailures";
import { matrixReport, violations } from "./report";
import { type RowResult, runRows } from "./run";
import { allRows, nameOf, selectRows } from "./rows";
import { allSteps } from "./steps";
import { cacheFolder, prepareToolchain } from "./toolchain";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    jobs: { type: "string", default: "2" },
    write: { type: "boolean", default: false },
  },
});

/** Prints progress to stderr; stdout is for the report. */
function log(line: string): void {
  const text = stripVTControlCharacters(line);
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${text}`);
}

function output(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { cwd: __dirname, encoding: "utf8" }).trim();
}

/** Prints the result of a row, with the output of the failed step unless the failure is known. */
function logResult(result: RowResult): void {
  const verdict = judge(result);
  const known = verdict.kind === "knownFailure" ? "fails as expected" : verdict.kind;
  const outcome = verdict.kind === "violation" ? `VIOLATION: ${verdict.message}` : known;
  log(`${nameOf(result.row)}: ${outcome}, ${result.seconds.toFixed(1)} s`);
  if (verdict.kind === "violation" && result.failure) log(result.failure.output);
}

async function main(): Promise<number> {
  const rows = values.only === undefined ? allRows : selectRows(values.only);
  return await withReleases(async (release) => {
    log(`preparing ${rows.length} rows`);
    const toolchain = prepareToolchain(rows, temporaryFolder(release));
    const results: RowResult[] = [];
    const onResult = (result: RowResult) => {
      results.push(result);
      logResult(result);
    };
    const jobs = Number(values.jobs);
    await runRows(rows, { toolchain, cacheFolder, steps: allSteps, jobs, onResult });
    const only = values.only === undefined ? "" : ` -- --only ${values.only}`;
    const report = matrixReport(results, {
      ...toolchain,
      cliVersion: output("pulumi", ["version"]),
      revision: output("git", ["describe", "--always", "--dirty", "--exclude", "*"]),
      command: `npm run matrix${only}`,
      minutes: performance.now() / 60_000,
    });
    console.log(report);
    if (values.write) {
      const { writeSection } = await import("../../scripts/documentSection.mjs");
      writeSection("compatibility.md", "matrix", report);
    }
    return violations(results).length === 0 ? 0 : 1;
  });
}

exitWith(main);
