/** Draws the chart of docs/guides/fast-previews.md. */
import { median } from "../statistics";
import { type Results, valuesOf } from "./results";
import { type Contender, labelOf } from "./setups";

const checked = { language: "TypeScript, types checked", node: 24 } as const;
const transpiled = { language: "TypeScript, not checked", node: 24 } as const;
const stripped = { language: "TypeScript, type stripping", node: 24 } as const;

/** The bars, from top to bottom. */
const bars: readonly (readonly [string, Contender])[] = [
  ["own dynamic resource, Pulumi's default", { ...checked, program: "empty" }],
  ["pulumi-clouddb, Pulumi's default", { ...checked, program: "clouddb" }],
  ["… without type checking", { ...transpiled, program: "clouddb" }],
  ["… with type stripping", { ...stripped, program: "clouddb" }],
  ["… and a compile cache", { ...stripped, program: "clouddb", isWarm: true }],
  ["… and the plugin", { ...stripped, program: "plugin", isWarm: true }],
];

/** Where `npm run bench` writes the chart. */
export const chartFile = "docs/pictures/previews.svg";

/** Returns an SVG document with the times of previews. It has a background, for pages in dark mode. */
export function chartOf(results: Results): string {
  const times = bars.map(
    ([name, contender]) =>
      [name, median(valuesOf(results, "preview of 20", labelOf(contender)))] as const,
  );
  const scale = 360 / Math.max(...times.map(([, time]) => time));
  const rows = times.map(([name, time], i) => {
    const [y, width] = [56 + 40 * i, Math.round(time * scale)];
    return `<text x="312" y="${y + 17}" text-anchor="end">${name}</text>
<rect x="320" y="${y}" width="${width}" height="24" fill="${i === 0 ? "#8c959f" : "#0969da"}"/>
<text x="${325 + width}" y="${y + 17}">${time.toFixed(2)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="760" height="300" font-family="sans-serif" font-size="13" fill="#1f2328">
<rect width="760" height="300" fill="#fff"/>
<text x="12" y="26" font-size="15" font-weight="bold">pulumi preview of 20 lookups in TypeScript, Node.js 24: seconds</text>
${rows.join("\n")}
</svg>`;
}
