/** Renders the results as Markdown. */
import { table } from "../report";
import { median } from "../statistics";
import { goalsTable } from "./goals";
import { type Results, isExcessive } from "./results";
import { programs } from "./setups";

/** Renders the results of a run. */
export function report(results: Results): string {
  const { command, machine, versions, revision, minutes, loads } = results.conditions;
  return [
    "# Benchmark results",
    `Written by \`${command}\`, with all values in [benchmarks.json](benchmarks.json). One run compares, in alternation:`,
    Object.entries(programs)
      .map(([key, { name }]) => `- ${key}: ${name}`)
      .join("\n"),
    [
      `Machine: ${machine}. ${versions}. Commit ${revision}, ${minutes} minutes.`,
      `One-minute load average at the start and at the end: ${loads.map((load) => load.toFixed(1)).join(" and ")}.`,
    ].join("\n"),
    "`npm run bench -- --compare <results.json>` runs the benchmarks and lists what changed beyond the noise: exact Mann-Whitney U test, p < 0.03, and at least 3 %, relative to the controls of the same run.",
    "## Goals",
    "Every goal is a ratio within the run. State and memory have none.",
    goalsTable(results),
    "## HTTP requests",
    requestsText(results),
    "## Measurements",
    "Times of Pulumi commands are wall times of the whole command.",
    ...[...new Set(results.measures.map(({ group }) => group))].map((group) =>
      groupTable(results, group),
    ),
  ].join("\n\n");
}

function requestsText({ phases }: Results): string {
  const excessive = phases.filter(isExcessive);
  const found = `${phases.length - excessive.length} of ${phases.length} phases sent at most ceil(k/500) requests that list the k clusters of each project, one challenge, and nothing else.`;
  return [found, ...excessive.map((each) => `- ${JSON.stringify(each)}`)].join("\n");
}

function groupTable({ measures }: Results, group: string): string {
  const own = measures.filter((each) => each.group === group);
  return table(
    [group, `${own[0]?.unit ?? ""}: median (lowest to highest)`, "runs"],
    own.map(({ label, values }) => [label, rangeOf(values), String(values.length)]),
  );
}

function rangeOf(values: readonly number[]): string {
  const number = (value: number) => (value < 100 ? value.toFixed(2) : value.toFixed(0));
  if (values.length === 1) return number(median(values));
  return `${number(median(values))} (${number(Math.min(...values))} to ${number(Math.max(...values))})`;
}
