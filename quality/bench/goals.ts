/** Compares the median times with a base. The goals are ratios within the run. */
import { table } from "../report";
import { median } from "../statistics";
import { type Results, valuesOf } from "./results";
import { type Contender, type ProgramName, javaScript, labelOf } from "./setups";
import { life } from "./stacks";

/** A median, which is NaN if it was not measured, and the largest ratio to the base that reaches the goal. */
type Measured = readonly [name: string, value: number, atMost?: number];

interface Comparison {
  readonly measure: string;
  readonly unit: "s" | "ms";
  readonly base: Measured;
  readonly compared: readonly Measured[];
}

/** Renders the measured comparisons as a Markdown table. */
export function goalsTable(results: Results): string {
  const rows = comparisonsOf(results).flatMap(
    ({ measure, unit, base: [name, value], compared }) => {
      const measured = compared.filter(([, each]) => !Number.isNaN(each / value));
      const cells = measured.map((each) => cellOf(each, value, unit));
      return cells.length === 0
        ? []
        : [[measure, `${name} ${timeText(value, unit)}`, cells.join("; ")]];
    },
  );
  return table(["", "base", "compared with the base"], rows);
}

function cellOf([name, value, atMost]: Measured, base: number, unit: Comparison["unit"]): string {
  const ratio = value / base;
  const goal =
    atMost === undefined ? "" : ` (goal ${atMost}: ${ratio <= atMost ? "reached" : "missed"})`;
  return `${name} ${timeText(value, unit)}, ${ratio.toFixed(2)}${goal}`;
}

function timeText(value: number, unit: Comparison["unit"]): string {
  return `${value.toFixed(unit === "s" ? 2 : 0)} ${unit}`;
}

function comparisonsOf(results: Results): readonly Comparison[] {
  const time = (program: ProgramName, group = "preview of 20", setup: Partial<Contender> = {}) =>
    median(valuesOf(results, group, labelOf({ ...javaScript, ...setup, program })));
  const start = (label: string) => median(valuesOf(results, "start of a process", label));
  const withEmpty = (group: string, dynamic = 1, plugin = 1): Comparison => ({
    measure: group,
    unit: "s",
    base: ["empty", time("empty", group)],
    compared: [
      ["clouddb", time("clouddb", group), dynamic],
      ["plugin", time("plugin", group), plugin],
    ],
  });
  const usual = { node: 24, language: "TypeScript, types checked" } as const;
  const typeScript = (name: string, setup: Partial<Contender>, atMost: number): Comparison => ({
    measure: `preview of 20 in TypeScript, Node.js 24: ${name}`,
    unit: "s",
    base: ["empty in Pulumi's default", time("empty", "preview of 20", usual)],
    compared: [["clouddb", time("clouddb", "preview of 20", { ...usual, ...setup }), atMost]],
  });
  const floor = time("sdkOnly");
  const [thousand, late] = ["preview of 1000", "preview of 20 at 80 ms"];
  return [
    withEmpty("preview of 20", 0.9, 0.8),
    {
      measure: "preview of 20, beyond sdkOnly",
      unit: "s",
      base: ["empty", time("empty") - floor],
      compared: [["plugin", time("plugin") - floor, 0.45]],
    },
    {
      measure: late,
      unit: "s",
      base: ["fetching", time("fetching", late)],
      compared: [["clouddb", time("clouddb", late), 0.5]],
    },
    typeScript("set up like the template", { language: "TypeScript, not checked" }, 0.55),
    typeScript(
      "type stripping and a compile cache",
      { language: "TypeScript, type stripping", isWarm: true },
      0.45,
    ),
    withEmpty(thousand),
    {
      measure: thousand,
      unit: "s",
      base: ["clouddb", time("clouddb", thousand)],
      compared: [["getClusters", time("getClusters", thousand)]],
    },
    ...life.map((phase) => withEmpty(`${phase} of 400`)),
    {
      measure: "start of a process",
      unit: "ms",
      base: ["dynamic provider", start("dynamic provider")],
      compared: [["plugin", start("plugin")]],
    },
  ];
}
