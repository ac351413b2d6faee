/** Runs all benchmarks in sequence, and prints or writes the table of their medians. */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { cpus, platform, release } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { unpack, unpackProvider } from "../../tests/package/packed";
import { programs } from "./programs";
import { type Benchmark, type Checkout, type Measure, measureStacks } from "./stacks";

const root = join(__dirname, "..", "..");

const changes = ["up", "up without changes", "refresh", "destroy"] as const;

/** The benchmarks, and how often each is measured. */
const benchmarks: readonly (Benchmark & { runs: number })[] = [
  {
    runs: 9,
    names: ["sdkOnly", "empty", "clouddb", "plugin"],
    lookups: 20,
    commands: ["preview"],
  },
  {
    runs: 3,
    names: ["empty", "clouddb", "plugin", "getClusters"],
    lookups: 1000,
    commands: ["preview"],
  },
  {
    runs: 3,
    names: ["empty", "clouddb", "plugin"],
    lookups: 400,
    commands: changes,
  },
  { runs: 9, names: ["getClusters"], lookups: 20, commands: ["preview"] },
  { runs: 1, names: ["clouddb", "getClusters"], lookups: 20, commands: changes },
  {
    runs: 1,
    names: ["clouddb", "getClusters"],
    lookups: 200,
    commands: ["preview", ...changes],
  },
  {
    runs: 1,
    names: ["clouddb", "skipCheckpoints", "getClusters"],
    lookups: 1000,
    commands: changes,
  },
];

async function bench(against: string | undefined): Promise<void> {
  const start = performance.now();
  const folders = [root, ...(against === undefined ? [] : [resolve(against)])];
  const checkouts = folders.map(packedPackages);
  const measures: Measure[] = [];
  for (const { runs, ...benchmark } of benchmarks) {
    measures.push(...(await measureStacks(checkouts, runs, benchmark)));
    console.error(`Measured ${benchmark.commands.join(", ")} of ${benchmark.lookups}.`);
  }
  const minutes = ((performance.now() - start) / 60_000).toFixed(0);
  const contenders = Object.entries(programs).map(([name, { does }]) => `- \`${name}\`: ${does}`);
  const report = [
    "# Benchmark results",
    `\`npm run bench\` measures these programs in JavaScript in alternation, and writes this page:`,
    contenders.join("\n"),
    `Each row is the median of the runs: wall time, processor time of all processes but the service, the state that the command leaves, and the ratio of the wall time to that of the empty resource. ${cpus()[0]?.model ?? "Unknown CPU"}, ${cpus().length} cores, ${platform()} ${release()}; Node.js ${process.versions.node}; Pulumi CLI ${output("pulumi", "version")}; commit ${revisionOf(root)}; ${minutes} minutes.`,
    tableOf(measures, against !== undefined),
  ].join("\n\n");
  if (against !== undefined) console.log(report);
  else writeFileSync(join(root, "docs", "internals", "benchmarks.md"), `${report}\n`);
}

/** Packs the packages of a checkout, and unpacks them as an installation would. */
function packedPackages(checkout: string, index: number): Checkout {
  const folder = join(checkout, ".clouddb", "bench");
  rmSync(folder, { recursive: true, force: true });
  unpackProvider(folder, checkout);
  unpack("plugin", join(folder, "plugin"), checkout);
  return { folder, isOther: index > 0 };
}

/** Renders the medians, with those of the other checkout in further columns. */
function tableOf(measures: readonly Measure[], hasOther: boolean): string {
  const medianOf = (group: string, program: string, isOther: boolean) =>
    median(
      measures
        .filter((each) => each.group === group && each.program === program)
        .filter((each) => each.isOther === isOther)
        .flatMap(({ runs }) => runs.map(({ seconds }) => seconds)),
    );
  const rows = measures
    .filter(({ isOther }) => !isOther)
    .map(({ group, program, runs }) => {
      const value = median(runs.map(({ seconds }) => seconds));
      const cpu = median(runs.map(({ cpuSeconds }) => cpuSeconds));
      const kilobytes = median(runs.map(({ stateBytes }) => stateBytes)) / 1000;
      const other = medianOf(group, program, true);
      const base = medianOf(group, "empty", false);
      const ratio = Number.isNaN(base) ? "" : (value / base).toFixed(2);
      const times = [value, cpu].map((seconds) => `${seconds.toFixed(2)} s`);
      const cells = [group, program, ...times, `${kilobytes.toFixed(0)} kB`, ratio];
      if (!hasOther) return cells;
      if (Number.isNaN(other)) return [...cells, "", ""];
      return [...cells, `${other.toFixed(2)} s`, (value / other).toFixed(2)];
    });
  const head = ["measure", "program", "median", "CPU", "state", "ratio"];
  if (hasOther) head.push("other checkout", "ratio to it");
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
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

const { against } = parseArgs({ options: { against: { type: "string" } } }).values;
process.exitCode = 1; // Reset at the end, because Node.js exits early if a promise never settles.
void bench(against).then(() => {
  process.exitCode = 0;
});
