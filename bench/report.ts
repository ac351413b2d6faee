/** The tables, as Markdown. */
import { cpus, loadavg, platform, release } from "node:os";
import { contenders } from "./contenders";
import type { ListingResult } from "./listing";
import type { PreviewResult, StateKey } from "./preview";
import type { Spread } from "./statistics";
import type { ProgramResult } from "./program";
import type {
  GrowthResult,
  MemoryResult,
  OperationResult,
  RequestsResult,
  StartResult,
} from "./providerProcess";

export interface Results {
  readonly previews: readonly PreviewResult[];
  readonly requests: readonly RequestsResult[];
  readonly state: Record<StateKey, number>;
  readonly start: StartResult;
  readonly program: ProgramResult;
  readonly operations: readonly OperationResult[];
  readonly memory: MemoryResult;
  readonly listing: ListingResult;
  readonly growth: GrowthResult;
  /** What bench/simulator.mjs printed. */
  readonly simulator: string;
}

export interface Conditions {
  readonly quick: boolean;
  readonly cliVersion: string;
  /** The machine's load average before the first run, of the last minute. */
  readonly loadBefore: number;
  /** The commit that was measured, as `git describe` names it. */
  readonly revision: string;
}

export function report(results: Results, conditions: Conditions): string {
  return [
    "# Measured",
    `Written by \`npm run bench${conditions.quick ? " -- --quick" : ""}\`. Compared are, in one run and in turns:`,
    Object.entries(contenders)
      .map(([key, { name }]) => `- (${key}) ${name}`)
      .join("\n"),
    machine(conditions),
    "## Goals",
    goalsTable(results),
    "## `pulumi preview`",
    "Wall time of the whole command in seconds: the median, and the lowest to the highest. A program of n lookups, nothing in the state. With latency, every answer of the service comes that much later.",
    previewTable(results.previews),
    "## HTTP requests of one phase",
    "One provider process that looks up n clusters in a project of k.",
    requestsTable(results.requests),
    "## The provider process",
    processTables(results),
    "## The simulator",
    results.simulator,
  ].join("\n\n");
}

function machine({ cliVersion, loadBefore, revision }: Conditions): string {
  const [cpu] = cpus();
  const loads = [loadBefore, loadavg()[0] ?? NaN].map((load) => load.toFixed(1));
  return [
    `Machine: ${cpu?.model ?? "unknown CPU"}, ${cpus().length} cores, ${platform()} ${release()}; Node.js ${process.version}; Pulumi CLI ${cliVersion}.`,
    `Commit ${revision}, ${(performance.now() / 60_000).toFixed(1)} minutes.`,
    `Load average of the last minute when it began and ended: ${loads.join(" and ")}. What else runs at the time makes all figures worse, the small ones most.`,
  ].join("\n");
}

interface Goal {
  readonly measure: string;
  /** At most; undefined where there is none. */
  readonly goal?: number;
  /** Undefined where it was not measured. */
  readonly measured: number | undefined;
  readonly unit: string;
}

function goalsTable({
  previews,
  requests,
  state,
  start,
  program,
  operations,
  memory,
  listing,
  growth,
}: Results): string {
  const preview = (lookups: number, latency: number) =>
    previews.find((each) => each.lookups === lookups && each.latency === latency)?.time;
  const noLatency = preview(20, 0);
  const latency = preview(200, 80);
  const amiss = requests.filter(
    ({ clusters, listings, challenges, others }) =>
      listings !== listingsOf(clusters) || challenges !== 1 || others !== 0,
  );
  const beyondEmpty = (key: "rss" | "heapUsed", which: keyof Spread) =>
    (memory.listed[key][which] - memory.empty[key][which]) / 1024 / 1024;
  const goals: Goal[] = [
    {
      measure: "`pulumi preview`, 20 lookups, no latency, c / a",
      goal: 0.95,
      measured: ratio(noLatency?.c, noLatency?.a),
      unit: "",
    },
    {
      measure: "the same of a program that loads all of @pulumi/pulumi besides, d / a",
      measured: ratio(noLatency?.d, noLatency?.a),
      unit: "",
    },
    {
      measure: "`pulumi preview`, 200 lookups, 80 ms latency, c / b",
      goal: 0.25,
      measured: ratio(latency?.c, latency?.b),
      unit: "",
    },
    {
      measure: "phases with other HTTP requests than ceil(k/500) listings and 1 challenge",
      goal: 0,
      measured: amiss.length,
      unit: "",
    },
    { measure: "`__provider` in the state", goal: 100, measured: state.c, unit: "bytes" },
    {
      measure: "first operation of a provider process beyond (a)'s: one without a request",
      goal: 20,
      measured: start.withoutRequest - start.empty,
      unit: "ms",
    },
    {
      measure: "the same: a lookup, with its challenge, listing and TLS handshake",
      goal: 80,
      measured: start.withLookup - start.empty,
      unit: "ms",
    },
    {
      measure: '`require("pulumi-clouddb")` in a program, after @pulumi/pulumi',
      goal: 15,
      measured: program.clouddb,
      unit: "ms",
    },
    ...operations.map(({ operation, a, c }) => ({
      measure: `\`${operation}\` over gRPC, c / a`,
      goal: 1.15,
      measured: c / a,
      unit: "",
    })),
    {
      measure: `memory with ${memory.clusters} clusters listed beyond (a)'s: resident`,
      goal: 40,
      measured: beyondEmpty("rss", "median"),
      unit: "MB",
    },
    {
      measure: "the same: resident, of the largest process",
      measured: beyondEmpty("rss", "highest"),
      unit: "MB",
    },
    {
      measure: "the same: used in the heap",
      goal: 40,
      measured: beyondEmpty("heapUsed", "median"),
      unit: "MB",
    },
    {
      measure: "a listing of 1,200 clusters at 30 ms latency / its bare requests",
      goal: 1.3,
      measured: listing.client / listing.bare,
      unit: "",
    },
    {
      measure: `time per lookup at ${growth.many} lookups / at ${growth.few}`,
      goal: 1.2,
      measured: growth.atMany / growth.atFew,
      unit: "",
    },
  ];
  return table(["measure", "at most", "measured", ""], goals.map(goalRow));
}

function goalRow({ measure, goal, measured, unit }: Goal): string[] {
  const amount = (value: number) =>
    `${value.toFixed(unit === "" && value % 1 !== 0 ? 2 : 0)} ${unit}`.trim();
  if (goal === undefined) return [measure, "", measured === undefined ? "" : amount(measured), ""];
  if (measured === undefined) return [measure, amount(goal), "", "not measured"];
  const verdict = measured <= goal ? "reached" : `missed by ${amount(measured - goal)}`;
  return [measure, amount(goal), amount(measured), verdict];
}

function listingsOf(clusters: number): number {
  return Math.ceil(clusters / 500);
}

function previewTable(previews: readonly PreviewResult[]): string {
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2);
  const cell = (time: Spread | undefined) =>
    time === undefined
      ? ""
      : `${seconds(time.median)} (${seconds(time.lowest)} to ${seconds(time.highest)})`;
  const keys = ["a", "b", "c", "d"] as const;
  return table(
    [
      ...["lookups", "latency", "runs each", ...keys],
      ...["c / a", "d / a", "c / b", `requests ${keys.join(", ")}`],
    ],
    previews.map(({ lookups, latency, runs, time, requests }) => [
      String(lookups),
      `${latency} ms`,
      String(runs),
      ...keys.map((key) => cell(time[key])),
      ratio(time.c, time.a)?.toFixed(2) ?? "",
      ratio(time.d, time.a)?.toFixed(2) ?? "",
      ratio(time.c, time.b)?.toFixed(2) ?? "",
      keys.map((key) => requests[key] ?? "-").join(", "),
    ]),
  );
}

/** Of the medians; undefined where one of the two was not measured. */
function ratio(value: Spread | undefined, other: Spread | undefined): number | undefined {
  return value === undefined || other === undefined ? undefined : value.median / other.median;
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

function processTables({
  state,
  start,
  program,
  operations,
  memory,
  listing,
  growth,
}: Results): string {
  const ms = (value: number) => value.toFixed(1);
  const megabytes = (value: number) => (value / 1024 / 1024).toFixed(1);
  const range = ({ median, lowest, highest }: Spread) =>
    `${megabytes(median)} (${megabytes(lowest)} to ${megabytes(highest)})`;
  return [
    `First operation of a process, which loads the provider; median of ${start.runs} runs, in ms.`,
    table(
      ["(a) check", "(c) check without a request", "(c) check with a lookup"],
      [[ms(start.empty), ms(start.withoutRequest), ms(start.withLookup)]],
    ),
    "One operation of a warm process over gRPC, with as many properties each way; median in microseconds.",
    table(
      ["operation", "runs of 50 each", "a", "c", "c / a"],
      operations.map(({ operation, runs, a, c }) => [
        operation,
        String(runs),
        a.toFixed(0),
        c.toFixed(0),
        (c / a).toFixed(2),
      ]),
    ),
    `Memory after garbage collection, in MB; median of ${memory.runs} processes, and the lowest to the highest.`,
    table(
      ["", "resident", "used in the heap", "outside the heap"],
      [
        ["(a) after an operation", memory.empty] as const,
        [`(c) with ${memory.clusters} clusters listed`, memory.listed] as const,
      ].map(([name, { rss, heapUsed, external }]) => [
        name,
        range(rss),
        range(heapUsed),
        range(external),
      ]),
    ),
    `A listing of 1,200 clusters at 30 ms latency, by undici alone and by the client of (c), not bundled; median of ${listing.runs} runs, in ms.`,
    table(["bare requests", "client"], [[ms(listing.bare), ms(listing.client)]]),
    `Time of one lookup in a project of ${growth.many} clusters, the listing apart; median of ${growth.runs} runs, in microseconds.`,
    table(
      [`at ${growth.few} lookups`, `at ${growth.many} lookups`],
      [[growth.atFew.toFixed(0), growth.atMany.toFixed(0)]],
    ),
    `Bytes of \`__provider\` in the state of a resource.`,
    table(["a", "b", "c"], [[state.a, state.b, state.c].map(String)]),
    `Loading in a program; median of ${program.runs} runs, in ms.`,
    table(
      ["@pulumi/pulumi", `pulumi-clouddb after it (${program.modules} modules)`],
      [[ms(program.pulumi), ms(program.clouddb)]],
    ),
  ].join("\n\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
