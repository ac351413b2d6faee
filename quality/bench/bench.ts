/** Runs all benchmarks in sequence. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, platform, release } from "node:os";
import { dirname, join } from "node:path";
import { unpackProvider } from "../../tests/package/packed";
import { nodeMajors } from "../matrix/rows";
import { findNodes } from "../matrix/toolchain";
import { type Options, type Outcome, log, readConditions } from "../report";
import { chartFile, chartOf } from "./chart";
import { compare } from "./compare";
import { measureMemory, measureStarts } from "./processes";
import { report } from "./report";
import { type Measure, type Phase, type Results, results as resultsSchema } from "./results";
import { startService } from "./service";
import { type Contender, type ProgramName, javaScript, typeScript } from "./setups";
import { type Run, benchFolder, life, measureState, measureStacks } from "./stacks";

/** A row of the table of measures. */
interface Row {
  /** How often it is measured in a complete run and with `--quick`; 0 means never. */
  readonly runs: readonly [whole: number, quick: number];
  readonly measure: (run: Run, runs: number) => Promise<readonly Measure[]>;
}

const inJavaScript = (...programs: readonly ProgramName[]): readonly Contender[] =>
  programs.map((program) => ({ ...javaScript, program }));

const onNewestNode = typeScript.filter(({ node }) => node === 24);

/** Measures 20 or more lookups in a project of 200 or 1,000 clusters. */
const stacks = (
  runs: Row["runs"],
  lookups: number,
  contenders: readonly Contender[],
  options: { readonly latency?: number; readonly commands?: typeof life } = {},
): Row => ({
  runs,
  measure: (run, count) =>
    measureStacks(run, count, {
      contenders,
      lookups,
      clusters: lookups > 200 ? 1000 : 200,
      ...options,
    }),
});

const rows: readonly Row[] = [
  stacks([9, 3], 20, inJavaScript("sdkOnly", "empty", "clouddb", "plugin")),
  stacks([5, 0], 20, typeScript),
  // The warm-up round of two or more runs fills the compile caches.
  stacks([0, 2], 20, onNewestNode),
  stacks([3, 0], 20, inJavaScript("empty", "fetching", "clouddb"), { latency: 80 }),
  stacks([3, 0], 1000, inJavaScript("empty", "clouddb", "plugin", "getClusters")),
  stacks([3, 0], 400, inJavaScript("empty", "clouddb", "plugin"), { commands: life }),
  { runs: [1, 1], measure: measureState },
  { runs: [25, 3], measure: measureStarts },
  { runs: [7, 1], measure: measureMemory },
];

/** Runs the benchmarks. A missed goal is not a violation, because it depends on the machine. */
export async function bench({ flag, text }: Options): Promise<Outcome> {
  const isQuick = flag("quick");
  const before = text("compare");
  const earlier =
    before === undefined
      ? undefined
      : resultsSchema.parse(JSON.parse(readFileSync(before, "utf8")));
  const loadBefore = loadavg()[0] ?? NaN;
  const { cliVersion, revision } = readConditions();
  const nodes = findNodes(nodeMajors);
  const cli = execFileSync("sh", ["-c", "command -v pulumi"], { encoding: "utf8" });
  const oldHost = cliVersion.includes("+")
    ? join(dirname(cli), "pulumi-language-nodejs")
    : undefined;
  const measures: Measure[] = [];
  const phases = new Map<string, Phase>();
  const sumOf = (phase?: Phase) =>
    phase === undefined ? -1 : phase.listings + phase.challenges + phase.others;
  const addPhase = (phase: Phase) => {
    if (sumOf(phase) > sumOf(phases.get(phase.phase))) phases.set(phase.phase, phase);
  };
  rmSync(benchFolder, { recursive: true, force: true });
  unpackProvider(benchFolder);
  const service = await startService();
  try {
    for (const { runs, measure } of rows) {
      const count = runs[isQuick ? 1 : 0];
      if (count === 0) continue;
      for (const each of await measure({ service, nodes, oldHost, addPhase }, count)) {
        measures.push({ ...each, values: each.values.map((v) => Number(v.toPrecision(4))) });
        log(`${each.group}: ${each.label}`);
      }
    }
  } finally {
    await service.stop();
  }
  const results: Results = {
    conditions: {
      command: `npm run bench${isQuick ? " -- --quick" : ""}`,
      machine: `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, ${platform()} ${release()}`,
      versions: `Node.js ${[...nodes.values()].map(({ version }) => version).join(", ")}; Pulumi CLI ${cliVersion}`,
      revision,
      minutes: Number((performance.now() / 60_000).toFixed(1)),
      loads: [loadBefore, loadavg()[0] ?? NaN],
    },
    measures,
    phases: [...phases.values()],
  };
  const json = JSON.stringify(results, undefined, 1).replace(/\n {3,}| \n/g, " ");
  const last = join(benchFolder, "results.json");
  writeFileSync(last, `${json}\n`);
  log(`The results are in ${last}.`);
  if (earlier !== undefined) return { report: compare(earlier, results), violations: [] };
  return {
    report: report(results),
    violations: [],
    documents: [
      ["docs/internals/benchmarks.json", undefined, json],
      [chartFile, undefined, chartOf(results)],
    ],
  };
}
