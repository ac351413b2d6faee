/** Draws the chart of README.md and docs/guides/fast-previews.md. */
import { init } from "echarts";
import { median } from "../statistics";
import { type Contender, labelOf } from "./contenders";
import { type Results, valuesOf } from "./results";

const setup = { language: "TypeScript, type stripping", node: 24, lookups: 20 } as const;

/** The bars, from top to bottom. */
const bars: readonly (readonly [string, Contender])[] = [
  [
    "own dynamic resource, Pulumi's default",
    { ...setup, program: "empty", language: "TypeScript, types checked" },
  ],
  [
    "pulumi-clouddb, Pulumi's default",
    { ...setup, program: "clouddb", language: "TypeScript, types checked" },
  ],
  [
    "… without type checking",
    { ...setup, program: "clouddb", language: "TypeScript, not checked" },
  ],
  ["… with type stripping", { ...setup, program: "clouddb" }],
  ["… and a compile cache", { ...setup, program: "clouddb", isWarm: true }],
  ["… and the plugin", { ...setup, program: "plugin", isWarm: true }],
];

/** Where `npm run bench` writes the chart. */
export const chartFile = "docs/pictures/previews.svg";

/** Returns the median times of the bars in seconds. */
function timesOf(results: Results): readonly number[] {
  return bars.map(([, contender]) =>
    median(valuesOf(results, "preview of 20", labelOf(contender))),
  );
}

/** Returns Markdown that shows the chart, for a page in the root of the repository. */
export function chartText(results: Results): string {
  const alternative = timesOf(results).map(
    (time, i) => `${bars[i]?.[0] ?? ""}: ${time.toFixed(1)}`,
  );
  return [
    `![Seconds of a preview. ${alternative.join("; ")}.](${chartFile})`,
    "Three settings make previews of TypeScript programs faster: no type checking, type stripping and a compile cache.\nSee [fast previews](docs/guides/fast-previews.md).",
  ].join("\n\n");
}

/** Returns an SVG document with the times of previews. It has a background, for pages in dark mode. */
export function chartOf(results: Results): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width: 760, height: 300 });
  const text = { color: "#1f2328", fontSize: 13 };
  chart.setOption({
    animation: false,
    backgroundColor: "#ffffff",
    title: {
      text: "pulumi preview of 20 lookups in TypeScript, Node.js 24: seconds",
      left: 12,
      top: 10,
      textStyle: { ...text, fontSize: 15 },
    },
    grid: { left: 320, right: 50, top: 48, bottom: 14 },
    xAxis: { type: "value", min: 0, show: false },
    yAxis: {
      type: "category",
      inverse: true,
      data: bars.map(([name]) => name),
      axisLabel: text,
      axisLine: { show: false },
      axisTick: { show: false },
    },
    series: [
      {
        type: "bar",
        barWidth: 24,
        data: timesOf(results).map((time, i) => ({
          value: Number(time.toFixed(2)),
          itemStyle: { color: i === 0 ? "#8c959f" : "#0969da" },
        })),
        label: { show: true, position: "right", ...text },
      },
    ],
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
