/** Runs all benchmarks in sequence. */
import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Outcome, log, readConditions } from "../report";
import { keys } from "./contenders";
import { measureListing } from "./listing";
import { measureProcesses, measureProgram, packProvider } from "./processes";
import { type PreviewCase, type PreviewResult, measurePreviews, measureState } from "./preview";
import {
  countRequests,
  measureGrowth,
  measureMemory,
  measureOperations,
  measureStart,
} from "./providerProcess";
import { report } from "./report";
import type { SimulatorResult } from "./simulatorResult";

const transpile = join(__dirname, "../../scripts/transpile.cjs");

const requestCases = [
  { clusters: 20, lookups: 1 },
  { clusters: 200, lookups: 200 },
  { clusters: 1200, lookups: 1 },
  { clusters: 1200, lookups: 200 },
];

function previewCases(quick: boolean): readonly PreviewCase[] {
  // The quick cases are those that the goals need.
  if (quick) {
    return [
      { lookups: 20, latency: 0, runs: 5, contenders: ["empty", "clouddb", "plugin"] },
      { lookups: 200, latency: 80, runs: 1, contenders: ["fetching", "clouddb"] },
    ];
  }
  return [0, 80].flatMap((latency) => [
    { lookups: 1, latency, runs: 7, contenders: keys },
    { lookups: 20, latency, runs: 11, contenders: keys },
    { lookups: 200, latency, runs: 5, contenders: keys },
  ]);
}

/** Runs the benchmarks; a missed goal is no violation, because it depends on the machine. */
export async function bench(quick: boolean): Promise<Outcome> {
  const loadBefore = loadavg()[0] ?? NaN;
  const conditions = readConditions();
  const previews: PreviewResult[] = [];
  packProvider();
  log("pulumi preview");
  await measurePreviews(previewCases(quick), (result) => {
    previews.push(result);
    log(`  ${result.lookups} lookups, ${result.latency} ms latency`);
  });
  const measured = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    log(name);
    return await work();
  };
  const runs = quick ? 5 : 25;
  const results = {
    previews,
    state: await measured("state", measureState),
    requests: await measured("HTTP requests", async () => {
      const requests = [];
      for (const { clusters, lookups } of requestCases) {
        requests.push(await countRequests(clusters, lookups));
      }
      return requests;
    }),
    processes: await measured("start of a process", () => measureProcesses(runs)),
    start: await measured("first operation of a provider process", () => measureStart(runs)),
    operations: await measured("operations", () => measureOperations(quick ? 10 : 100)),
    memory: await measured("memory", () => measureMemory(10_000, quick ? 3 : 7)),
    listing: await measured("listing", () => measureListing(runs)),
    growth: await measured("growth", () => measureGrowth(20, 2000, quick ? 1 : 5)),
    program: await measured("loading in a program", () => measureProgram(runs)),
    simulator: await measured("simulator", () => measureSimulator(quick)),
  };
  return { report: report(results, { ...conditions, quick, loadBefore }), violations: [] };
}

async function measureSimulator(quick: boolean): Promise<SimulatorResult> {
  const rounds = quick ? ["1", "2"] : ["2", "9"];
  const script = ["--require", transpile, join(__dirname, "simulator.mjs"), ...rounds];
  const { stdout } = await promisify(execFile)(process.execPath, script);
  return JSON.parse(stdout) as SimulatorResult;
}
