/** Renders the results as Markdown. */
import { cpus, loadavg, platform, release } from "node:os";
import { type Conditions, table } from "../report";
import { contenders, keys } from "./contenders";
import { goalsTable, listingsOf } from "./goals";
import type { PreviewResult } from "./preview";
import type { RequestsResult } from "./providerProcess";
import { type Results, simulatorTables } from "./simulatorResult";
import { type Spread, ratio } from "../statistics";

interface BenchConditions extends Conditions {
  readonly quick: boolean;
  /** The one-minute load average before the first run. */
  readonly loadBefore: number;
}

/** Renders the results of all benchmarks. */
export function report(results: Results, conditions: BenchConditions): string {
  return [
    "# Benchmark results",
    `Written by \`npm run bench${conditions.quick ? " -- --quick" : ""}\`. One run compares, in alternation:`,
    Object.entries(contenders)
      .map(([key, { name }]) => `- ${key}: ${name}`)
      .join("\n"),
    machine(conditions),
    "## Goals",
    goalsTable(results),
    "## `pulumi preview`",
    "Wall time of the whole command in seconds: median (lowest to highest). The program has n lookups and the state is empty. The latency delays every response of the service.",
    previewTable(results.previews),
    "## HTTP requests of one phase",
    "One provider process looks up n clusters in a project with k clusters.",
    requestsTable(results.requests),
    "## The provider process",
    processTables(results),
    "## The simulator",
    simulatorTables(results.simulator),
  ].join("\n\n");
}

function machine({ cliVersion, loadBefore, revision }: BenchConditions): string {
  const [cpu] = cpus();
  const loads = [loadBefore, loadavg()[0] ?? NaN].map((load) => load.toFixed(1));
  return [
    `Machine: ${cpu?.model ?? "unknown CPU"}, ${cpus().length} cores, ${platform()} ${release()}; Node.js ${process.version}; Pulumi CLI ${cliVersion}.`,
    `Commit ${revision}, ${(performance.now() / 60_000).toFixed(1)} minutes.`,
    `One-minute load average at the start and at the end: ${loads.join(" and ")}. Other processes make all figures worse, the small ones most.`,
  ].join("\n");
}

function previewTable(previews: readonly PreviewResult[]): string {
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2);
  const cell = (time: Spread | undefined) =>
    time === undefined
      ? ""
      : `${seconds(time.median)} (${seconds(time.lowest)} to ${seconds(time.highest)})`;
  return table(
    [
      ...["lookups", "latency", "runs each", ...keys],
      ...[
        "clouddb / empty",
        "clouddbWithSdk / empty",
        "plugin / empty",
        "clouddb / fetching",
        `requests ${keys.join(", ")}`,
      ],
    ],
    previews.map(({ lookups, latency, runs, time, requests }) => [
      String(lookups),
      `${latency} ms`,
      String(runs),
      ...keys.map((key) => cell(time[key])),
      ratio(time.clouddb, time.empty)?.toFixed(2) ?? "",
      ratio(time.clouddbWithSdk, time.empty)?.toFixed(2) ?? "",
      ratio(time.plugin, time.empty)?.toFixed(2) ?? "",
      ratio(time.clouddb, time.fetching)?.toFixed(2) ?? "",
      keys.map((key) => requests[key] ?? "-").join(", "),
    ]),
  );
}

function requestsTable(requests: readonly RequestsResult[]): string {
  return table(
    ["clusters k", "lookups n", "listings", "challenges", "others", "ceil(k/500)"],
    requests.map((each) => {
      const { clusters, lookups, listings, challenges, others } = each;
      return [clusters, lookups, listings, challenges, others, listingsOf(clusters)].map(String);
    }),
  );
}

function processTables(results: Results): string {
  const { state, processes, start, program, operations, memory, listing, growth } = results;
  const ms = (value: number) => value.toFixed(1);
  const megabytes = (value: number) => (value / 1024 / 1024).toFixed(1);
  const range = ({ median, lowest, highest }: Spread) =>
    `${megabytes(median)} (${megabytes(lowest)} to ${megabytes(highest)})`;
  return [
    `Start of a process, until it listens; median of ${processes.runs} runs, in ms.`,
    table(["dynamic provider", "plugin"], [[ms(processes.dynamic), ms(processes.plugin)]]),
    `The first operation of a process, which loads the provider; median of ${start.runs} runs, in ms.`,
    table(
      ["empty: check", "clouddb: check without a request", "clouddb: check with a lookup"],
      [[ms(start.empty), ms(start.withoutRequest), ms(start.withLookup)]],
    ),
    "One operation of a warm process over gRPC, with the same number of properties in both directions; median in microseconds.",
    table(
      ["operation", "runs of 50 each", "empty", "clouddb", "clouddb / empty"],
      operations.map(({ operation, runs, empty, clouddb }) => [
        operation,
        String(runs),
        empty.toFixed(0),
        clouddb.toFixed(0),
        (clouddb / empty).toFixed(2),
      ]),
    ),
    `Memory after garbage collection, in MB; median of ${memory.runs} processes (lowest to highest).`,
    table(
      ["", "resident", "used heap", "outside the heap"],
      [
        ["empty, after an operation", memory.empty] as const,
        [`clouddb, with ${memory.clusters} clusters listed`, memory.listed] as const,
      ].map(([name, { rss, heapUsed, external }]) => [
        name,
        range(rss),
        range(heapUsed),
        range(external),
      ]),
    ),
    `Listing 1,200 clusters at 30 ms latency, with undici alone and with the unbundled client of clouddb; median of ${listing.runs} runs, in ms.`,
    table(["bare requests", "client"], [[ms(listing.bare), ms(listing.client)]]),
    `Time of one lookup in a project of ${growth.many} clusters, without the listing; median of ${growth.runs} runs, in microseconds.`,
    table(
      [`at ${growth.few} lookups`, `at ${growth.many} lookups`],
      [[growth.atFew.toFixed(0), growth.atMany.toFixed(0)]],
    ),
    `Bytes of \`__provider\` in the state of a resource.`,
    table(
      ["empty", "fetching", "clouddb"],
      [[state.empty, state.fetching, state.clouddb].map(String)],
    ),
    `Loading the packages in a program; median of ${program.runs} runs, in ms.`,
    table(
      ["@pulumi/pulumi", `pulumi-clouddb after it (${program.modules} modules)`],
      [[ms(program.pulumi), ms(program.clouddb)]],
    ),
  ].join("\n\n");
}
