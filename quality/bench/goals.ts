/** Compares the results with the goals, which are ratios within the run. */
import { table } from "../report";
import { median } from "../statistics";
import { type Results, isExcessive, valuesOf } from "./results";
import { type Contender, type ProgramName, javaScript, labelOf } from "./setups";
import { life } from "./stacks";

/** What is measured, its value (NaN if it was not measured), and the largest value that reaches the goal. */
type Goal = readonly [measure: string, measured: number, atMost?: number];

/** Renders the goals as a Markdown table. */
export function goalsTable(results: Results): string {
  const number = (value: number) => String(Number(value.toFixed(2)));
  const rows = goalsOf(results).map(([measure, measured, atMost]) => {
    const limit = atMost === undefined ? "" : `at most ${number(atMost)}`;
    if (Number.isNaN(measured)) return [measure, limit, "", "not measured"];
    if (atMost === undefined) return [measure, "", number(measured), ""];
    const verdict = measured <= atMost ? "reached" : `missed by ${number(measured - atMost)}`;
    return [measure, limit, number(measured), verdict];
  });
  return table(["measure", "goal", "measured", ""], rows);
}

/** Compares the results with the goals. */
function goalsOf(results: Results): readonly Goal[] {
  const time = (program: ProgramName, group = "preview of 20", setup: Partial<Contender> = {}) =>
    median(valuesOf(results, group, labelOf({ ...javaScript, ...setup, program })));
  const start = (label: string) => median(valuesOf(results, "start of a process", label));
  const bothOf = (group: string, limits: readonly [number, number]) =>
    (["clouddb", "plugin"] as const).map((program, i): Goal => {
      const ratio = time(program, group) / time("empty", group);
      return [`${group}: ${program} / empty`, ratio, limits[i] ?? NaN];
    });
  const typeScript = (name: string, setup: Partial<Contender>, atMost: number): Goal => {
    const usual = { node: 24, language: "TypeScript, types checked" } as const;
    const times = [{ ...usual, ...setup }, usual].map((each, i) =>
      time(i === 0 ? "clouddb" : "empty", "preview of 20", each),
    );
    const [found = NaN, base = NaN] = times;
    return [
      `TypeScript on Node.js 24: clouddb, ${name} / empty in Pulumi's default`,
      found / base,
      atMost,
    ];
  };
  const floor = time("sdkOnly");
  const [thousand, late] = ["preview of 1000", "preview of 20 at 80 ms"];
  return [
    ...bothOf("preview of 20", [0.9, 0.8]),
    ["beyond sdkOnly: plugin / empty", (time("plugin") - floor) / (time("empty") - floor), 0.45],
    [`${late}: clouddb / fetching`, time("clouddb", late) / time("fetching", late), 0.5],
    typeScript("set up like the template", { language: "TypeScript, not checked" }, 0.55),
    typeScript(
      "type stripping and a compile cache",
      { language: "TypeScript, type stripping", isWarm: true },
      0.45,
    ),
    ...bothOf(thousand, [1, 1]),
    [
      `${thousand}: getClusters / clouddb`,
      time("getClusters", thousand) / time("clouddb", thousand),
    ],
    ...life.flatMap((phase) => bothOf(`${phase} of 400`, [1, 1])),
    [
      "phases with more HTTP requests than ceil(k/500) listings and one challenge",
      results.phases.filter(isExcessive).length,
      0,
    ],
    ["start of a process: plugin / dynamic provider", start("plugin") / start("dynamic provider")],
  ];
}
