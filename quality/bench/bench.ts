/** Runs all benchmarks in sequence, and prints or writes the table of their medians. */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { cpus, platform, release } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { unpack, unpackProvider } from "../../tests/package/packed";
import { log } from "../log";
import { findNodes } from "../matrix/toolchain";
import { measureMemory, measureStarts } from "./processes";
import { startService } from "./service";
import { type ProgramName, inJavaScript, inTypeScript, programs } from "./setups";
import { type Measure, type Run, checkoutIn, life, measureStacks, measureState } from "./stacks";
import { median } from "./statistics";

const root = join(__dirname, "..", "..");

interface Benchmark {
  /** How often it is measured in a complete run and with `--quick`; 0 means never. */
  readonly runs: readonly [whole: number, quick: number];
  readonly measure: (run: Run, runs: number) => Promise<readonly Measure[]>;
}

/** Compares programs that look up some clusters in a project of 200 or 1,000. */
const programsInJavaScript = (
  runs: Benchmark["runs"],
  lookups: number,
  names: readonly ProgramName[],
  commands?: typeof life,
): Benchmark => ({
  runs,
  measure: (run, count) =>
    measureStacks(run, count, {
      contenders: names.map(inJavaScript),
      lookups,
      clusters: lookups > 200 ? 1000 : 200,
      ...(commands === undefined ? {} : { commands }),
    }),
});

const benchmarks: readonly Benchmark[] = [
  programsInJavaScript([9, 3], 20, ["sdkOnly", "empty", "clouddb", "plugin"]),
  {
    runs: [5, 0],
    measure: (run, count) =>
      measureStacks(run, count, { contenders: inTypeScript, lookups: 20, clusters: 200 }),
  },
  programsInJavaScript([3, 0], 1000, ["empty", "clouddb", "plugin", "getClusters"]),
  programsInJavaScript([3, 0], 400, ["empty", "clouddb", "plugin"], life),
  { runs: [25, 3], measure: measureStarts },
  { runs: [7, 0], measure: measureMemory },
  { runs: [1, 1], measure: measureState },
];

async function bench(isQuick: boolean, against: string | undefined): Promise<void> {
  const start = performance.now();
  const cliVersion = output("pulumi", "version");
  const checkouts = [root, ...(against === undefined ? [] : [resolve(against)])].map(checkoutIn);
  for (const { folder, bench: target } of checkouts) {
    rmSync(target, { recursive: true, force: true });
    unpackProvider(target, folder);
    unpack("plugin", join(target, "plugin"), folder);
  }
  const nodes = findNodes([20, 24]);
  const cli = output("sh", "-c", "command -v pulumi");
  const oldHost = cliVersion.includes("+")
    ? join(dirname(cli), "pulumi-language-nodejs")
    : undefined;
  const measures: Measure[] = [];
  const service = await startService();
  try {
    for (const { runs, measure } of benchmarks) {
      const count = runs[isQuick ? 1 : 0];
      if (count === 0) continue;
      measures.push(...(await measure({ service, nodes, oldHost, checkouts }, count)));
      log(`${measures.length} measures`);
    }
  } finally {
    await service.stop();
  }
  const minutes = ((performance.now() - start) / 60_000).toFixed(0);
  const versions = [...nodes.values()].map(({ version }) => version).join(" and ");
  const contenders = Object.entries(programs).map(([name, { does }]) => `- \`${name}\`: ${does}`);
  const report = [
    "# Benchmark results",
    `\`npm run bench\` measures these programs in alternation, and writes this page:`,
    contenders.join("\n"),
    `Programs in JavaScript run on Node.js 20, and those in TypeScript on Node.js 24. Each row is the median of several runs, and its ratio to the empty resource, or to the dynamic provider for the start of a process. ${cpus()[0]?.model ?? "Unknown CPU"}, ${cpus().length} cores, ${platform()} ${release()}; Node.js ${versions}; Pulumi CLI ${cliVersion}; commit ${revisionOf(root)}; ${minutes} minutes.`,
    tableOf(measures, against !== undefined),
  ].join("\n\n");
  if (isQuick || against !== undefined) console.log(report);
  else writeFileSync(join(root, "docs", "internals", "benchmarks.md"), `${report}\n`);
}

/** Renders the medians, with those of the other checkout in further columns. */
function tableOf(measures: readonly Measure[], hasOther: boolean): string {
  const [own, other] = [false, true].map((isOther) =>
    measures.filter((each) => each.isOther === isOther),
  );
  const rows = (own ?? []).map(({ group, label, unit, values }) => {
    const value = median(values);
    const base = own?.find((each) => each.group === group && each.isBase);
    const cells = [group, label, textOf(value, unit)];
    cells.push(base === undefined ? "" : (value / median(base.values)).toFixed(2));
    if (hasOther) {
      const compared = other?.find((each) => each.group === group && each.label === label);
      const before = median(compared?.values ?? []);
      const isMeasured = compared !== undefined;
      cells.push(isMeasured ? textOf(before, unit) : "");
      cells.push(isMeasured ? (value / before).toFixed(2) : "");
    }
    return cells;
  });
  const head = ["measure", "program", "median", "ratio"];
  if (hasOther) head.push("other checkout", "ratio to it");
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function textOf(value: number, unit: Measure["unit"]): string {
  return `${value.toFixed(unit === "s" ? 2 : 0)} ${unit}`;
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

const { values: options } = parseArgs({
  options: { quick: { type: "boolean", default: false }, against: { type: "string" } },
});
process.exitCode = 1; // Reset at the end, because Node.js exits early if a promise never settles.
void bench(options.quick, options.against).then(() => {
  process.exitCode = 0;
});
