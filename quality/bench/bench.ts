/** Runs all benchmarks in sequence, and prints or writes the table of their medians. */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { cpus, platform, release, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { unpack, unpackProvider } from "../../tests/package/packed";
import { type ProgramName, programs } from "./programs";
import {
  type Benchmark,
  type Checkout,
  type Command,
  type Measure,
  type Run,
  measureStacks,
} from "./stacks";

const root = join(__dirname, "..", "..");

const changes = ["up", "up without changes", "refresh", "destroy"] as const;

type Counted = Benchmark & { runs: number };

const onlyLookups = { hasMode: false };

/** The benchmarks, and how often each is measured. */
const benchmarks: readonly Counted[] = [
  {
    ...onlyLookups,
    runs: 9,
    names: ["sdkOnly", "empty", "clouddb", "plugin", "withUrls"],
    lookups: 20,
    commands: ["preview"],
  },
  {
    ...onlyLookups,
    runs: 3,
    names: ["empty", "clouddb", "plugin", "getClusters"],
    lookups: 1000,
    commands: ["preview"],
  },
  {
    ...onlyLookups,
    runs: 3,
    names: ["empty", "clouddb", "plugin"],
    lookups: 400,
    commands: changes,
  },
  { ...onlyLookups, runs: 9, names: ["getClusters"], lookups: 20, commands: ["preview"] },
  {
    ...onlyLookups,
    runs: 10,
    names: ["clouddb"],
    lookups: 20,
    commands: ["preview --json", "report"],
  },
  { ...onlyLookups, runs: 1, names: ["clouddb", "getClusters"], lookups: 20, commands: changes },
  {
    ...onlyLookups,
    runs: 1,
    names: ["empty", "clouddb", "withUrls", "getClusters"],
    lookups: 200,
    commands: ["preview", ...changes],
  },
  {
    ...onlyLookups,
    runs: 1,
    names: ["clouddb", "skipCheckpoints", "getClusters"],
    lookups: 1000,
    commands: changes,
  },
];

/** With `--by-hand`, also these: the program by hand, and the others that do the same. */
const benchmarksByHand: readonly Counted[] = [
  {
    hasMode: true,
    runs: 9,
    names: ["empty", "clouddb", "plugin", "byHand"],
    lookups: 20,
    commands: ["preview"],
  },
  {
    hasMode: true,
    runs: 3,
    names: ["empty", "clouddb", "plugin", "byHand"],
    lookups: 200,
    commands: changes,
  },
];

interface Choice {
  /** The folder of another checkout to measure in alternation. */
  readonly against?: string | undefined;
  /** Whether the program by hand is measured, too. */
  readonly "by-hand"?: boolean | undefined;
  /** A command, if only its benchmarks are measured. */
  readonly only?: string | undefined;
}

async function bench({ against, "by-hand": isByHand, only }: Choice): Promise<void> {
  const start = performance.now();
  const folders = [root, ...(against === undefined ? [] : [resolve(against)])];
  const checkouts = folders.map(packedPackages);
  const measures: Measure[] = [];
  for (const { runs, ...benchmark } of [...benchmarks, ...(isByHand ? benchmarksByHand : [])]) {
    if (only !== undefined && !benchmark.commands.some((command) => command === only)) continue;
    measures.push(...(await measureStacks(checkouts, runs, benchmark)));
    console.error(`Measured ${benchmark.commands.join(", ")} of ${benchmark.lookups}.`);
  }
  const minutes = ((performance.now() - start) / 60_000).toFixed(0);
  const measured = new Set<string>(measures.map(({ program }) => program));
  const contenders = Object.entries(programs)
    .filter(([name]) => measured.has(name))
    .map(([name, { does }]) => `- \`${name}\`: ${does}`);
  const report = [
    "# Benchmark results",
    `\`npm run bench\` measures these programs in JavaScript in alternation, and writes this page:`,
    contenders.join("\n"),
    `Each row is the median of the runs: wall time, processor time of all processes but the service, the state that the command leaves, the requests to the service, and the ratio of the wall time to those of the empty resource${isByHand ? " and of the program by hand" : ""}. A program of 20 looks up 20 clusters of one project. The service has no rate limit, which is usually 100 requests per minute and project. ${machine()}; commit ${revisionOf(root)}; ${minutes} minutes.`,
    ...(only === undefined ? [aboutManyLookups(measures)] : []),
    ...aboutReport(measures),
    ...(isByHand ? [aboutByHand(measures)] : []),
    tableOf(measures, { hasByHand: isByHand === true, hasOther: against !== undefined }),
  ].join("\n\n");
  if (against !== undefined || only !== undefined) console.log(report);
  else writeFileSync(join(root, "docs", "internals", "benchmarks.md"), `${report}\n`);
}

function machine(): string {
  const processor = `${cpus()[0]?.model ?? "Unknown CPU"}, ${cpus().length} cores`;
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GB`;
  return `${processor}, ${memory}, ${platform()} ${release()}; Node.js ${process.versions.node}; Pulumi CLI ${output("pulumi", "version")}`;
}

/** Says why an update of many lookups is slow, with the figures of the largest one. */
function aboutManyLookups(measures: readonly Measure[]): string {
  const updates = measures.filter(({ command, isOther }) => command === "up" && !isOther);
  const largest = Math.max(...updates.map(({ benchmark }) => benchmark.lookups));
  const runsOf = (name: ProgramName) =>
    updates.find(({ program, benchmark }) => program === name && benchmark.lookups === largest)
      ?.runs ?? [];
  const secondsOf = (name: ProgramName) =>
    `${median(runsOf(name).map(({ seconds }) => seconds)).toFixed(0)} s`;
  const bytes = median(runsOf("clouddb").map(({ stateBytes }) => stateBytes)) / largest;
  const written = (bytes * largest ** 2) / 2 / 1e9;
  const count = largest.toLocaleString("en");
  return `**Many lookups.** A lookup takes ${(bytes / 1000).toFixed(1)} kB of the state. After each resource, the engine writes the state of all resources again, so an update of n lookups writes them about n²/2 times: ${written.toFixed(1)} GB for ${count} lookups, whose first update took ${secondsOf("clouddb")}. \`getClusters\`, which creates no resource, took ${secondsOf("getClusters")} for the same strings.`;
}

/** Compares the command of the report, in each checkout, with the preview that it runs. */
function aboutReport(measures: readonly Measure[]): string[] {
  return [false, true].flatMap((isOther) => {
    const medianOf = (command: Command, unit: keyof Run) => {
      const found = measures.filter((each) => each.command === command && each.isOther === isOther);
      return median(found.flatMap(({ runs }) => runs.map((run) => run[unit])));
    };
    const [time, cpu] = (["seconds", "cpuSeconds"] as const).map((unit) =>
      ratio(medianOf("report", unit), medianOf("preview --json", unit)),
    );
    if (time === "") return [];
    const checkout = isOther ? " of the other checkout" : "";
    return `**The report${checkout}.** \`pulumi-clouddb preview\` (\`report\` in the table) takes ${time} times as long as \`pulumi preview --json\`, and ${cpu} times the processor time.`;
  });
}

/** Packs the packages of a checkout, and unpacks them as an installation would. */
function packedPackages(checkout: string, index: number): Checkout {
  const folder = join(checkout, ".clouddb", "bench");
  rmSync(folder, { recursive: true, force: true });
  unpackProvider(folder, checkout);
  unpack("plugin", join(folder, "plugin"), checkout);
  return { folder, isOther: index > 0 };
}

/** Names the measures in which the program by hand is faster than pulumi-clouddb. */
function aboutByHand(measures: readonly Measure[]): string {
  const faster = measures
    .filter(({ program, isOther }) => program === "byHand" && !isOther)
    .filter((row) => secondsOf(measures, row, "byHand") < secondsOf(measures, row, "clouddb"));
  const names = faster.length === 0 ? "none of these" : faster.map(nameOf).join(", ");
  return `**By hand.** It is faster than pulumi-clouddb in ${names}. Its previews look nothing up before the first update, and [it does less](comparison.md#with-a-dynamic-provider-of-your-own).`;
}

interface Columns {
  readonly hasByHand: boolean;
  readonly hasOther: boolean;
}

/** Renders the medians, with those of the other checkout in further columns. */
function tableOf(measures: readonly Measure[], { hasByHand, hasOther }: Columns): string {
  const rows = measures
    .filter(({ isOther }) => !isOther)
    .map((row) => {
      const { runs, program } = row;
      const value = median(runs.map(({ seconds }) => seconds));
      const cpu = median(runs.map(({ cpuSeconds }) => cpuSeconds));
      const kilobytes = median(runs.map(({ stateBytes }) => stateBytes)) / 1000;
      const requests = median(runs.map((run) => run.requests));
      const other = secondsOf(measures, row, program, true);
      return [
        nameOf(row),
        program,
        seconds(value),
        seconds(cpu),
        `${kilobytes.toFixed(0)} kB`,
        String(requests),
        ratio(value, secondsOf(measures, row, "empty")),
        ...(hasByHand ? [ratio(value, secondsOf(measures, row, "byHand"))] : []),
        ...(hasOther ? [seconds(other), ratio(value, other)] : []),
      ];
    });
  const head = [
    "measure",
    "program",
    "median",
    "CPU",
    "state",
    "requests",
    "to empty",
    ...(hasByHand ? ["to by hand"] : []),
    ...(hasOther ? ["other checkout", "ratio to it"] : []),
  ];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** Returns the median time of a program in the benchmark and the command of a row; NaN if it was not measured. */
function secondsOf(
  measures: readonly Measure[],
  row: Measure,
  program: ProgramName,
  isOther = false,
): number {
  const same = measures
    .filter((each) => each.benchmark === row.benchmark && each.command === row.command)
    .filter((each) => each.program === program && each.isOther === isOther);
  return median(same.flatMap(({ runs }) => runs.map((run) => run.seconds)));
}

function nameOf({ command, benchmark: { lookups, hasMode } }: Measure): string {
  return `${command} of ${lookups}${hasMode ? " and the mode" : ""}`;
}

/** Renders a time; empty if it was not measured. */
function seconds(value: number): string {
  return Number.isNaN(value) ? "" : `${value.toFixed(2)} s`;
}

/** Renders a ratio; empty if the other time was not measured. */
function ratio(value: number, base: number): string {
  return Number.isNaN(base) ? "" : (value / base).toFixed(2);
}

/** Returns the median, or NaN if there are no values. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** Returns the commit of a checkout, followed by `-dirty` if its code differs from it. */
function revisionOf(folder: string): string {
  const git = (...args: readonly string[]) => output("git", "-C", folder, ...args);
  const isChanged = git("status", "--porcelain", "--", ".", ":!docs") !== "";
  return `${git("rev-parse", "--short", "HEAD")}${isChanged ? "-dirty" : ""}`;
}

function output(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { encoding: "utf8" }).trim();
}

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    "by-hand": { type: "boolean" },
    only: { type: "string" },
  },
});
process.exitCode = 1; // Reset at the end, because Node.js exits early if a promise never settles.
void bench(values).then(() => {
  process.exitCode = 0;
});
