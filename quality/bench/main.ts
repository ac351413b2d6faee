/** Runs all benchmarks one after the other, for `npm run bench` (scripts/bench.mjs). */
import { execFile } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { keys } from "./contenders";
import { measureListing } from "./listing";
import { packProvider } from "./packed";
import { type PreviewCase, type PreviewResult, measurePreviews, measureState } from "./preview";
import { measureProcesses } from "./processes";
import { measureProgram } from "./program";
import {
  countRequests,
  measureGrowth,
  measureMemory,
  measureOperations,
  measureStart,
} from "./providerProcess";
import { report } from "./report";
import type { SimulatorResult } from "./simulatorResult";

const run = promisify(execFile);
const quick = process.argv.includes("--quick");

/** The quick cases are those that the goals need. */
const previewCases: readonly PreviewCase[] = quick
  ? [
      { lookups: 20, latency: 0, runs: 5, contenders: ["a", "c", "p"] },
      { lookups: 200, latency: 80, runs: 1, contenders: ["b", "c"] },
    ]
  : [0, 80].flatMap((latency) => [
      { lookups: 1, latency, runs: 7, contenders: keys },
      { lookups: 20, latency, runs: 11, contenders: keys },
      { lookups: 200, latency, runs: 5, contenders: keys },
    ]);

const requestCases = [
  { clusters: 20, lookups: 1 },
  { clusters: 200, lookups: 200 },
  { clusters: 1200, lookups: 1 },
  { clusters: 1200, lookups: 200 },
];

async function main(): Promise<void> {
  const loadBefore = loadavg()[0] ?? NaN;
  const { stdout: cliVersion } = await run("pulumi", ["version"]);
  const describe = ["describe", "--always", "--dirty", "--exclude", "*"];
  const { stdout: revision } = await run("git", describe, { cwd: __dirname });
  const previews: PreviewResult[] = [];
  packProvider();
  say("pulumi preview");
  await measurePreviews(previewCases, (result) => {
    previews.push(result);
    say(`  ${result.lookups} lookups, ${result.latency} ms latency`);
  });
  say("state");
  const state = await measureState();
  say("HTTP requests");
  const requests = [];
  for (const { clusters, lookups } of requestCases) {
    requests.push(await countRequests(clusters, lookups));
  }
  say("start of a process");
  const processes = await measureProcesses(quick ? 5 : 25);
  say("first operation of a provider process");
  const start = await measureStart(quick ? 5 : 25);
  say("operations");
  const operations = await measureOperations(quick ? 10 : 100);
  say("memory");
  const memory = await measureMemory(10_000, quick ? 3 : 7);
  say("listing");
  const listing = await measureListing(quick ? 5 : 25);
  say("growth");
  const growth = await measureGrowth(20, 2000, quick ? 1 : 5);
  say("loading in a program");
  const program = await measureProgram(quick ? 5 : 25);
  say("simulator");
  const rounds = quick ? ["1", "2"] : ["2", "9"];
  const script = [
    "--require",
    join(__dirname, "../../scripts/transpile.cjs"),
    join(__dirname, "simulator.mjs"),
  ];
  const { stdout } = await run(process.execPath, [...script, ...rounds]);

  const results = {
    previews,
    state,
    requests,
    processes,
    start,
    operations,
    memory,
    listing,
    growth,
    program,
  };
  const text = report(
    { ...results, simulator: JSON.parse(stdout) as SimulatorResult },
    { quick, cliVersion: cliVersion.trim(), loadBefore, revision: revision.trim() },
  );
  console.log(text);
  const file = join(__dirname, "results.md");
  writeFileSync(`${file}.${process.pid}`, `${text}\n`);
  renameSync(`${file}.${process.pid}`, file);
}

/** Prints progress to stderr; stdout is for the tables. */
function say(text: string): void {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${text}`);
}

process.exitCode = 1; // Until everything is done: Node.js exits early if a promise never settles.
void main().then(
  () => {
    process.exitCode = 0;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
  },
);
