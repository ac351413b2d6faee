/** Runs all benchmarks in sequence. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, platform, release } from "node:os";
import { join } from "node:path";
import type { Simulator } from "clouddb-simulator";
import { nodeMajors } from "../matrix/rows";
import { type Conditions, type Options, type Outcome, log, readConditions } from "../report";
import { chartFile, chartOf, chartText } from "./chart";
import { compare } from "./compare";
import { type Contender, templateLanguage } from "./contenders";
import { measureMemory, measureProcesses } from "./processes";
import { report, setupTable } from "./report";
import { measureListing, measureSimulator } from "./requests";
import { type Measure, type Phase, type Results, results as resultsSchema } from "./results";
import { withService } from "./service";
import {
  type Bench,
  benchFolder,
  findBenchNodes,
  measureLife,
  measurePreviews,
  measureState,
  oldLanguageHost,
  packProvider,
} from "./stacks";

const javaScript = { language: "JavaScript", node: 20, lookups: 20 } as const;
const checked = { language: "TypeScript, types checked", lookups: 20 } as const;
const transpiled = { language: "TypeScript, not checked", lookups: 20 } as const;
const stripped = { language: "TypeScript, type stripping", lookups: 20 } as const;

/** What the goals compare on the oldest version of Node.js. */
const basics: readonly Contender[] = (
  ["sdkOnly", "empty", "clouddb", "clouddbWithSdk", "plugin"] as const
).map((program) => ({ ...javaScript, program }));

/** With a compile cache, which Node.js 20 does not have. */
const warm: readonly Contender[] = (["sdkOnly", "empty", "clouddb", "plugin"] as const).map(
  (program) => ({ ...javaScript, program, node: 24, isWarm: true }),
);

/** The set-ups of a TypeScript program. Node.js strips types in 22.18 and later. */
const typeScript: readonly Contender[] = nodeMajors.flatMap((node) => {
  const all: readonly Contender[] = [
    { ...checked, program: "empty", node },
    { ...checked, program: "clouddb", node },
    { ...transpiled, program: "clouddb", node },
  ];
  if (node === 20) return all;
  return [
    ...all,
    { ...stripped, program: "clouddb", node },
    { ...transpiled, program: "clouddb", node, isWarm: true },
    { ...stripped, program: "clouddb", node, isWarm: true },
    { ...stripped, program: "plugin", node, isWarm: true },
  ];
});

const setups: readonly Contender[] = [
  ...warm.map((each) => ({ ...each, isWarm: false })),
  ...warm,
  ...typeScript,
];

/** What the goals compare on the newest version of Node.js. */
const quickSetups: readonly Contender[] = [
  ...warm.filter(({ program }) => program === "empty" || program === "plugin"),
  { ...checked, program: "empty", node: 24 },
  { language: templateLanguage(), program: "clouddb", lookups: 20, node: 24 },
];

/** Runs the benchmarks; a missed goal is no violation, because it depends on the machine. */
export async function bench({ flag, text }: Options): Promise<Outcome> {
  const isQuick = flag("quick");
  const before = text("compare");
  const earlier = before === undefined ? undefined : readResults(before);
  const start = { loadBefore: loadavg()[0] ?? NaN, ...readConditions() };
  const nodes = findBenchNodes();
  const oldHost = oldLanguageHost(start.cliVersion);
  const measures: Measure[] = [];
  const phases = new Map<string, Phase>();
  const record = (measure: Measure) => {
    measures.push({ ...measure, values: measure.values.map((v) => Number(v.toPrecision(4))) });
    log(`${measure.group}: ${measure.label}`);
  };
  // Keeps the worst of the runs.
  const recordPhase = (phase: Phase) => {
    const known = phases.get(phase.phase);
    if (known === undefined || sumOf(phase) > sumOf(known)) phases.set(phase.phase, phase);
  };
  const sumOf = ({ listings, challenges, others }: Phase) => listings + challenges + others;
  const withBench = (clusters: number, projects: number, work: (each: Bench) => Promise<void>) =>
    withService(
      clusters,
      (service: Simulator) => work({ service, clusters, nodes, oldHost, record, recordPhase }),
      projects,
    );

  packProvider();
  await withBench(200, 20, async (each) => {
    await measurePreviews(each, isQuick ? 3 : 9, basics);
    await measurePreviews(each, isQuick ? 1 : 5, isQuick ? quickSetups : setups);
    await measureState(each);
    if (isQuick) return;
    await measurePreviews(
      each,
      3,
      (["empty", "fetching", "clouddb"] as const).map((program) => ({ ...javaScript, program })),
      80,
    );
    for (const lookups of [20, 200]) {
      const programs = ["empty", "clouddb", "plugin"] as const;
      const contenders = programs.map((program) => ({ ...javaScript, program, lookups }));
      await measureLife(each, 4, contenders);
    }
    await measurePreviews(each, 2, [
      { ...javaScript, program: "clouddb", lookups: 200, projects: 2 },
      { ...javaScript, program: "clouddb", lookups: 2000, projects: 20 },
    ]);
  });
  await measureProcesses(record, isQuick ? 3 : 25);
  await withBench(10_000, 1, async (each) => {
    await measureListing(each, isQuick ? 1 : 15);
    await measureMemory(each, isQuick ? 1 : 7);
  });
  await measureSimulator(record, isQuick ? 1 : 9, 2);

  const results: Results = {
    conditions: conditionsOf(`npm run bench${isQuick ? " -- --quick" : ""}`, nodes, start),
    measures,
    phases: [...phases.values()],
  };
  const json = JSON.stringify(results, undefined, 1).replace(/\n {3,}| \n/g, " ");
  const last = join(benchFolder, "results.json");
  writeFileSync(last, `${json}\n`);
  log(`The results are in ${last}.`);
  if (earlier !== undefined) return { report: compare(earlier, results), violations: [] };
  return {
    report: report(results, typeScript),
    violations: [],
    documents: [["docs/internals/benchmarks.json", undefined, json], ...chartDocuments(results)],
  };
}

/** Measures only the set-ups of a TypeScript program. */
export async function measureSetups({ number }: Options): Promise<Outcome> {
  const start = { loadBefore: loadavg()[0] ?? NaN, ...readConditions() };
  const nodes = findBenchNodes();
  const oldHost = oldLanguageHost(start.cliVersion);
  const measures: Measure[] = [];
  const record = (measure: Measure) => void measures.push(measure);
  packProvider();
  await withService(200, (service) =>
    measurePreviews(
      { service, clusters: 200, nodes, oldHost, record, recordPhase: () => undefined },
      number("runs"),
      typeScript,
    ),
  );
  const conditions = conditionsOf("npm run quality -- setups", nodes, start);
  const results: Results = { conditions, measures, phases: [] };
  return {
    report: setupTable(results, typeScript),
    violations: [],
    documents: chartDocuments(results),
  };
}

function conditionsOf(
  command: string,
  nodes: Bench["nodes"],
  { loadBefore, cliVersion, revision }: Conditions & { readonly loadBefore: number },
): Results["conditions"] {
  const [cpu] = cpus();
  return {
    command,
    machine: `${cpu?.model ?? "unknown CPU"}, ${cpus().length} cores, ${platform()} ${release()}`,
    versions: `Node.js ${[...nodes.values()].map(({ version }) => version).join(", ")}; Pulumi CLI ${cliVersion}`,
    revision,
    minutes: Number((performance.now() / 60_000).toFixed(1)),
    loads: [loadBefore, loadavg()[0] ?? NaN],
  };
}

function chartDocuments(results: Results): NonNullable<Outcome["documents"]> {
  return [
    [chartFile, undefined, chartOf(results)],
    ["README.md", "chart", chartText(results)],
  ];
}

function readResults(file: string): Results {
  return resultsSchema.parse(JSON.parse(readFileSync(file, "utf8")));
}
