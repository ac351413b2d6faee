/** Renders the conclusions of a run as Markdown. benchmarks.json contains all values. */
import { nodeMajors } from "../matrix/rows";
import { table } from "../report";
import { median } from "../statistics";
import { goalsTable } from "./goals";
import { type Results, isExcessive, valuesOf } from "./results";
import { type Contender, labelOf, programs, typeScript } from "./setups";

/** Renders the results of a run. */
export function report(results: Results): string {
  const { command, machine, versions, revision, minutes, loads } = results.conditions;
  const contenders = Object.entries(programs).map(([key, { name }]) => `\`${key}\` (${name})`);
  return [
    "# Benchmark results",
    [
      `Written by \`${command}\`. [benchmarks.json](benchmarks.json) has all values, with their noise.`,
      `Machine: ${machine}. ${versions}. Commit ${revision}, ${minutes} minutes.`,
      `One-minute load average at the start and at the end: ${loads.map((load) => load.toFixed(1)).join(" and ")}.`,
    ].join("\n"),
    `One run measures these programs in alternation: ${contenders.join(", ")}.`,
    "## Comparisons",
    "Medians of whole Pulumi commands, and their ratio to a base. A goal is the largest accepted ratio. Programs are in JavaScript on Node.js 20 unless the row says otherwise.",
    goalsTable(results),
    requestsText(results),
    "## TypeScript",
    "Median seconds of a preview of 20.",
    typeScriptTable(results),
    "## Other measurements",
    othersText(results),
    "`npm run bench -- --compare <results.json>` runs the benchmarks and lists what changed beyond the noise: exact Mann-Whitney U test, p < 0.03, and at least 3 %, relative to the controls of the same run.",
  ].join("\n\n");
}

function requestsText({ phases }: Results): string {
  const excessive = phases.filter(isExcessive);
  const found = `**Requests.** ${phases.length - excessive.length} of ${phases.length} commands sent at most one request for each 500 clusters of a project, one challenge, and nothing else.`;
  return [found, ...excessive.map((each) => `- ${JSON.stringify(each)}`)].join("\n");
}

function typeScriptTable(results: Results): string {
  const nameOf = ({ program, language, isWarm = false }: Contender) =>
    `${program}, ${language.replace("TypeScript, ", "")}${isWarm ? ", compile cache" : ""}`;
  const names = [...new Set(typeScript.map(nameOf))];
  const rows = names.map((name) => [
    name,
    ...nodeMajors.map((node) => {
      const contender = typeScript.find((each) => nameOf(each) === name && each.node === node);
      const values = contender ? valuesOf(results, "preview of 20", labelOf(contender)) : [];
      return values.length === 0 ? "" : median(values).toFixed(2);
    }),
  ]);
  return table(["", ...nodeMajors.map((node) => `Node.js ${node}`)], rows);
}

/** Renders the measures that are not times. */
function othersText({ measures }: Results): string {
  return measures
    .filter(({ unit }) => unit === "MB" || unit === "bytes")
    .map(({ group, label, unit, values }) => {
      return `- ${group}, ${label}: ${median(values).toFixed(0)} ${unit}`;
    })
    .join("\n");
}
