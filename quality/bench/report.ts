/** Renders the results as Markdown. */
import { table } from "../report";
import { median } from "../statistics";
import { type Contender, labelOf, programs } from "./contenders";
import { goalsTable, isExcessive } from "./goals";
import { type Results, valuesOf } from "./results";

/** Renders the results of a run. The set-ups have a section of their own, which `npm run quality -- setups` replaces. */
export function report(results: Results, setups: readonly Contender[]): string {
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
    "Every goal is a ratio within the run, except the memory.",
    goalsTable(results),
    "## HTTP requests",
    requestsText(results),
    "## Measurements",
    "Times of Pulumi commands are wall times of the whole command.",
    ...[...new Set(results.measures.map(({ group }) => group))].map((group) =>
      groupTable(results, group, setups.map(labelOf)),
    ),
    "## Set-ups of TypeScript programs",
    `<!-- setups:start -->\n${setupTable(results, setups)}\n<!-- setups:end -->`,
  ].join("\n\n");
}

function requestsText({ phases }: Results): string {
  const excessive = phases.filter(isExcessive);
  const found = `${phases.length - excessive.length} of ${phases.length} phases sent at most ceil(k/500) requests that list the k clusters of each project, one challenge, and nothing else.`;
  if (excessive.length === 0) return found;
  const rows = excessive.map(({ phase, ...counts }) => [
    phase,
    ...Object.values(counts).map(String),
  ]);
  return `${found} The others:\n\n${table(["phase", "listings", "challenges", "others", "allowed listings"], rows)}`;
}

function groupTable(
  { measures }: Results,
  group: string,
  omittedLabels: readonly string[],
): string {
  const own = measures.filter(
    (each) => each.group === group && !omittedLabels.includes(each.label),
  );
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

/** Renders previews as seconds, and ratios to the first contender with the same version of Node.js. */
export function setupTable(results: Results, contenders: readonly Contender[]): string {
  const { machine, versions, revision } = results.conditions;
  const previewsOf = (contender: Contender) =>
    valuesOf(results, "preview of 20", labelOf(contender));
  const measured = contenders.filter((contender) => previewsOf(contender).length > 0);
  const rows = measured.map((contender) => {
    const first = measured.find(({ node }) => node === contender.node) ?? contender;
    const ratio = median(previewsOf(contender)) / median(previewsOf(first));
    return [labelOf(contender), rangeOf(previewsOf(contender)), ratio.toFixed(2)];
  });
  return [
    table(["`pulumi preview` of 20 lookups", "seconds: median (lowest to highest)", "ratio"], rows),
    `\`empty\` creates dynamic resources with empty hooks, \`plugin\` uses the plugin. ${machine}. ${versions}. Commit ${revision}.`,
  ].join("\n\n");
}
