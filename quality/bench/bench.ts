/** Runs all benchmarks in sequence, and writes their medians, or prints them. */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { cpus, platform, release, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { unpack, unpackProvider } from "../../tests/package/packed";
import { compared, csvOf, pageOf, resultsOf } from "./results";
import { type Benchmark, type Checkout, type Measure, measureStacks } from "./stacks";

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
  // The program by hand, and the others that do the same.
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
    commands: ["preview", ...changes],
  },
];

interface Choice {
  /** The folder of another checkout to measure in alternation. */
  readonly against?: string | undefined;
  /** A command, if only its benchmarks are measured. */
  readonly only?: string | undefined;
}

async function bench({ against, only }: Choice): Promise<void> {
  const start = performance.now();
  const folders = [root, ...(against === undefined ? [] : [resolve(against)])];
  const checkouts = folders.map(packedPackages);
  const measures: Measure[] = [];
  for (const { runs, ...benchmark } of benchmarks) {
    if (only !== undefined && !benchmark.commands.some((command) => command === only)) continue;
    measures.push(...(await measureStacks(checkouts, runs, benchmark)));
    console.error(`Measured ${benchmark.commands.join(", ")} of ${benchmark.lookups}.`);
  }
  const results = resultsOf(measures);
  if (against !== undefined || only !== undefined) {
    console.table(compared(results));
    return;
  }
  const minutes = ((performance.now() - start) / 60_000).toFixed(0);
  const circumstances = `${machine()}; commit ${revisionOf(root)}; ${minutes} minutes.`;
  writeFileSync(join(__dirname, "benchmarks.csv"), csvOf(results));
  writeFileSync(join(root, "docs", "internals", "benchmarks.md"), pageOf(results, circumstances));
}

/** Describes what the results depend on. */
function machine(): string {
  const processor = `${cpus()[0]?.model ?? "Unknown CPU"}, ${cpus().length} cores`;
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GB`;
  return `${processor}, ${memory}, ${platform()} ${release()}; Node.js ${process.versions.node}; Pulumi CLI ${output("pulumi", "version")}`;
}

/** Packs the packages of a checkout, and unpacks them as an installation would. */
function packedPackages(checkout: string, index: number): Checkout {
  const folder = join(checkout, ".clouddb", "bench");
  rmSync(folder, { recursive: true, force: true });
  unpackProvider(folder, checkout);
  unpack("plugin", join(folder, "plugin"), checkout);
  return { folder, isOther: index > 0 };
}

/** Returns the commit of a checkout, followed by `-dirty` if its code differs from it. */
function revisionOf(folder: string): string {
  const git = (...args: readonly string[]) => output("git", "-C", folder, ...args);
  const isChanged = git("status", "--porcelain", "--", ".", ":!docs", ":!*.csv") !== "";
  return `${git("rev-parse", "--short", "HEAD")}${isChanged ? "-dirty" : ""}`;
}

function output(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { encoding: "utf8" }).trim();
}

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    only: { type: "string" },
  },
});
process.exitCode = 1; // Reset at the end, because Node.js exits early if a promise never settles.
void bench(values).then(() => {
  process.exitCode = 0;
});
