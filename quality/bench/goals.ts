/** Compares the results with the goals, which are ratios within the run. */
import { table } from "../report";
import { median } from "../statistics";
import { type Contender, type ProgramName, labelOf, templateLanguage } from "./contenders";
import { type Phase, type Results, valuesOf } from "./results";

interface Goal {
  readonly measure: string;
  /** The maximum; undefined if there is no goal. */
  readonly atMost?: number;
  readonly atLeast?: number;
  /** NaN if it was not measured. */
  readonly measured: number;
  readonly unit?: "MB";
}

/** Renders the goals as a Markdown table. */
export function goalsTable(results: Results): string {
  const rows = goalsOf(results).map(({ measure, atMost, atLeast, measured, unit = "" }) => {
    const amount = (value: number) => `${Number(value.toFixed(2))} ${unit}`.trim();
    const [limit, excess] =
      atLeast === undefined
        ? [atMost === undefined ? "" : `at most ${amount(atMost)}`, measured - (atMost ?? Infinity)]
        : [`at least ${amount(atLeast)}`, atLeast - measured];
    if (Number.isNaN(measured)) return [measure, limit, "", "not measured"];
    const verdict = excess <= 0 ? "reached" : `missed by ${amount(excess)}`;
    return [measure, limit, amount(measured), limit === "" ? "" : verdict];
  });
  return table(["measure", "goal", "measured", ""], rows);
}

/** Compares the results with the goals. */
export function goalsOf(results: Results): readonly Goal[] {
  const medianOf = (group: string, label: string) => median(valuesOf(results, group, label));
  const timeOf = (program: ProgramName, setup: Partial<Contender> = {}, group = "preview of 20") =>
    medianOf(group, labelOf({ program, language: "JavaScript", node: 20, lookups: 20, ...setup }));
  const [a, c, d, e, p] = [
    timeOf("empty"),
    timeOf("clouddb"),
    timeOf("clouddbWithSdk"),
    timeOf("sdkOnly"),
    timeOf("plugin"),
  ];
  const warm = { node: 24, isWarm: true } as const;
  const template = { language: templateLanguage(), node: 24 } as const;
  const slow = timeOf("empty", { language: "TypeScript, types checked", node: 24 });
  const life = (["refresh", "up without changes", "destroy"] as const).flatMap((phase) => {
    const [empty, clouddb, plugin] = (["empty", "clouddb", "plugin"] as const).map((program) =>
      timeOf(program, {}, `${phase} of 200`),
    ) as [number, number, number];
    return [
      { measure: `${phase} of 200: clouddb / empty`, atMost: 1, measured: clouddb / empty },
      { measure: `${phase} of 200: plugin / empty`, atMost: 0.8, measured: plugin / empty },
    ];
  });
  const perLookup = (lookups: number, projects: number) =>
    (timeOf("clouddb", {}, `preview of ${lookups} in ${projects} projects`) - e) / lookups;
  const [process, listing] = ["start of a process", "listing of 10000 clusters at 30 ms"];
  const [memory, lists] = ["memory of the plugin", "lists of 20 clusters"];
  return [
    { measure: "preview of 20 lookups: clouddb / empty", atMost: 0.85, measured: c / a },
    { measure: "the same: clouddbWithSdk / empty", atMost: 0.92, measured: d / a },
    {
      measure: "beyond sdkOnly: (clouddbWithSdk - sdkOnly) / (empty - sdkOnly)",
      atMost: 0.78,
      measured: (d - e) / (a - e),
    },
    {
      measure: "beyond sdkOnly: (plugin - sdkOnly) / (empty - sdkOnly)",
      atMost: 0.35,
      measured: (p - e) / (a - e),
    },
    {
      measure: "preview of 20 on Node.js 24 with a compile cache: plugin / empty",
      atMost: 0.55,
      measured: timeOf("plugin", warm) / timeOf("empty", warm),
    },
    {
      measure:
        "TypeScript on Node.js 24: clouddb in the template's set-up / empty in Pulumi's default",
      atMost: 0.45,
      measured: timeOf("clouddb", template) / slow,
    },
    {
      measure: "the same, the template's set-up with a compile cache",
      measured: timeOf("clouddb", { ...template, isWarm: true }) / slow,
    },
    {
      measure: "start of a process: plugin / dynamic provider",
      atMost: 0.25,
      measured: medianOf(process, "plugin") / medianOf(process, "dynamic provider"),
    },
    ...life,
    {
      measure: "time per lookup beyond sdkOnly: 2,000 in 20 projects / 200 in 2",
      atMost: 1.1,
      measured: perLookup(2000, 20) / perLookup(200, 2),
    },
    {
      measure: "phases with more HTTP requests than ceil(k/500) listings and one challenge",
      atMost: 0,
      measured: results.phases.filter(isExcessive).length,
    },
    {
      measure: "listing of 10,000 clusters at 30 ms latency: client / bare requests",
      atMost: 1.15,
      measured: medianOf(listing, "client") / medianOf(listing, "bare requests"),
    },
    {
      measure: "memory of the plugin with 10,000 clusters beyond that with none",
      atMost: 40,
      measured: medianOf(memory, "with 10000 clusters") - medianOf(memory, "with 0 clusters"),
      unit: "MB",
    },
    {
      measure: "state of a lookup in bytes / bytes of its connection strings",
      atMost: 2,
      measured: medianOf("state", "a lookup") / medianOf("state", "its connection strings"),
    },
    {
      measure: "lists per second: clouddb-simulator / bare Fastify handler",
      atLeast: 0.45,
      measured: medianOf(lists, "clouddb-simulator") / medianOf(lists, "bare Fastify handler"),
    },
  ];
}

/** Returns whether a phase sent more requests than it may. */
export function isExcessive({ listings, challenges, others, allowed }: Phase): boolean {
  return listings > allowed || challenges > 1 || others > 0;
}
