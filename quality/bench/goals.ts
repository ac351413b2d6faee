/** Compares the results with the goals. */
import type { Results } from "./simulatorResult";
import { type Spread, ratio } from "../statistics";
import { table } from "../report";

interface Goal {
  readonly measure: string;
  /** The maximum; undefined if there is no goal. */
  readonly goal?: number;
  /** The result; undefined if it was not measured. */
  readonly measured: number | undefined;
  readonly unit: string;
}

/**
 * Compares the results with the goals.
 *
 * @param results the results of all benchmarks
 * @returns a Markdown table with a row for each goal
 */
export function goalsTable(results: Results): string {
  const goals = [
    ...previewGoals(results),
    ...processGoals(results),
    ...memoryGoals(results),
    ...scaleGoals(results),
    ...simulatorGoals(results),
  ];
  return table(["measure", "at most", "measured", ""], goals.map(goalRow));
}

function previewGoals({ previews, requests, state }: Results): Goal[] {
  const timesOf = (lookups: number, latency: number) =>
    previews.find((each) => each.lookups === lookups && each.latency === latency)?.time;
  const [few, many] = [timesOf(20, 0), timesOf(200, 80)];
  const unexpected = requests.filter(
    ({ clusters, listings, challenges, others }) =>
      listings !== listingsOf(clusters) || challenges !== 1 || others !== 0,
  );
  return [
    {
      measure: "`pulumi preview`, 20 lookups, no latency, clouddb / empty",
      goal: 0.95,
      measured: ratio(few?.clouddb, few?.empty),
      unit: "",
    },
    {
      measure:
        "the same for a program that also loads all of @pulumi/pulumi, clouddbWithSdk / empty",
      measured: ratio(few?.clouddbWithSdk, few?.empty),
      unit: "",
    },
    {
      measure: "the same with the plugin, plugin / empty",
      goal: 0.8,
      measured: ratio(few?.plugin, few?.empty),
      unit: "",
    },
    {
      measure: "`pulumi preview`, 200 lookups, 80 ms latency, clouddb / fetching",
      goal: 0.25,
      measured: ratio(many?.clouddb, many?.fetching),
      unit: "",
    },
    {
      measure:
        "phases with HTTP requests other than ceil(k/500) cluster list requests and 1 challenge",
      goal: 0,
      measured: unexpected.length,
      unit: "",
    },
    { measure: "`__provider` in the state", goal: 100, measured: state.clouddb, unit: "bytes" },
  ];
}

function processGoals({ processes, start, program, operations }: Results): Goal[] {
  return [
    {
      measure: "start of the plugin's process, until it listens / that of a dynamic provider",
      goal: 0.3,
      measured: processes.plugin / processes.dynamic,
      unit: "",
    },
    {
      measure: "first operation of a provider process, minus that of empty: without a request",
      goal: 20,
      measured: start.withoutRequest - start.empty,
      unit: "ms",
    },
    {
      measure: "the same: a lookup with its challenge, listing and TLS handshake",
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
    ...operations.map(({ operation, empty, clouddb }) => ({
      measure: `\`${operation}\` over gRPC, clouddb / empty`,
      goal: 1.15,
      measured: clouddb / empty,
      unit: "",
    })),
  ];
}

function memoryGoals({ memory: { clusters, listed, empty } }: Results): Goal[] {
  const aboveEmpty = (key: "rss" | "heapUsed", which: keyof Spread) =>
    (listed[key][which] - empty[key][which]) / 1024 / 1024;
  return [
    {
      measure: `memory with ${clusters} clusters listed, minus that of empty: resident`,
      goal: 40,
      measured: aboveEmpty("rss", "median"),
      unit: "MB",
    },
    {
      measure: "the same: resident, in the largest process",
      measured: aboveEmpty("rss", "highest"),
      unit: "MB",
    },
    {
      measure: "the same: used heap",
      goal: 40,
      measured: aboveEmpty("heapUsed", "median"),
      unit: "MB",
    },
  ];
}

function scaleGoals({ listing, growth }: Results): Goal[] {
  return [
    {
      measure: "listing 1,200 clusters at 30 ms latency / the bare requests",
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
}

function simulatorGoals({ simulator: { throughput, load } }: Results): Goal[] {
  const { simulator, bare } = throughput;
  return [
    {
      measure: "simulator: CPU time of a request / that of a bare handler",
      goal: 1 / 0.6,
      measured: ratio(simulator.cpuMicroseconds, bare.cpuMicroseconds),
      unit: "",
    },
    {
      measure: "simulator: start with 10,000 clusters and 1,000 projects",
      goal: 2000,
      measured: load.startTime,
      unit: "ms",
    },
    {
      measure: "simulator: page of 20 of these clusters / of a project of 20 clusters",
      goal: 2,
      measured: load.manyPage / load.fewPage,
      unit: "",
    },
  ];
}

function goalRow({ measure, goal, measured, unit }: Goal): string[] {
  const amount = (value: number) =>
    `${value.toFixed(unit === "" && value % 1 !== 0 ? 2 : 0)} ${unit}`.trim();
  if (goal === undefined) return [measure, "", measured === undefined ? "" : amount(measured), ""];
  if (measured === undefined) return [measure, amount(goal), "", "not measured"];
  const verdict = measured <= goal ? "reached" : `missed by ${amount(measured - goal)}`;
  return [measure, amount(goal), amount(measured), verdict];
}

/** Returns the number of requests that list the clusters in pages of 500. */
export function listingsOf(clusters: number): number {
  return Math.ceil(clusters / 500);
}
