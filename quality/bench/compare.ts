/** Compares the results of two runs. */
import { table } from "../report";
import { median } from "../statistics";
import { type Measure, type Results, valuesOf } from "./results";

/** A measure that changed beyond the noise. */
interface Change {
  readonly measure: string;
  /** Medians. */
  readonly before: number;
  readonly after: number;
  readonly ratio: number;
}

/** What must be exceeded: the probability of a chance result, and the change of the median. */
const [probability, smallest] = [0.03, 0.03];

/**
 * Returns the measures that changed. Their values are compared in units of the controls of the same group,
 * such as `empty`, which run none of this repository's code: a slower machine is no change.
 */
export function changesOf(before: Results, after: Results): readonly Change[] {
  return after.measures.flatMap((measure) => {
    const { group, label, unit, isControl = false } = measure;
    const [old, values] = [valuesOf(before, group, label), measure.values];
    if (isControl || old.length === 0 || values.length === 0) return [];
    const scale = scaleOf(group, before, after);
    const scaled = values.map((value) => value / scale);
    const ratio = median(scaled) / median(old);
    const isSignificant = unit === "bytes" || mannWhitney(old, scaled) < probability;
    if (!isSignificant || Math.abs(ratio - 1) < smallest) return [];
    return [{ measure: `${group}: ${label}`, before: median(old), after: median(values), ratio }];
  });
}

/** Returns how much larger the controls of a group became: the median of their ratios; 1 if it has none. */
function scaleOf(group: string, before: Results, after: Results): number {
  const isUsed = (each: Measure) => each.group === group && each.isControl === true;
  const ratios = after.measures
    .filter(isUsed)
    .map(({ label, values }) => median(values) / median(valuesOf(before, group, label)))
    .filter((ratio) => Number.isFinite(ratio));
  return ratios.length === 0 ? 1 : median(ratios);
}

/**
 * Returns the exact two-sided p-value of the Mann-Whitney U test: how probable a difference at least this
 * large is if both samples have the same distribution.
 */
export function mannWhitney(first: readonly number[], second: readonly number[]): number {
  const wins = first.flatMap((x): number[] => second.map((y) => (x < y ? 1 : x === y ? 0.5 : 0)));
  const u = wins.reduce((sum, win) => sum + win, 0);
  const smaller = Math.ceil(Math.min(u, wins.length - u));
  const counts = uCounts(first.length, second.length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const tail = counts.slice(0, smaller + 1).reduce((sum, count) => sum + count, 0);
  return Math.min(1, (2 * tail) / total);
}

/** Returns how many orders of m and n values have each U from 0 to m * n. */
function uCounts(m: number, n: number): readonly number[] {
  if (m === 0 || n === 0) return [1];
  // The largest value belongs to the first sample, which then exceeds all n of the second, or to the second.
  const [first, second] = [uCounts(m - 1, n), uCounts(m, n - 1)];
  return Array.from({ length: m * n + 1 }, (_, u) => (first[u - n] ?? 0) + (second[u] ?? 0));
}

/** Renders what changed as Markdown. */
export function compare(before: Results, after: Results): string {
  const changes = changesOf(before, after);
  const number = (value: number) => String(Number(value.toPrecision(3)));
  return [
    `# Changes from ${before.conditions.revision} to ${after.conditions.revision}`,
    `Median values, and the ratio after division by the change of the controls (\`empty\`, \`sdkOnly\`, bare requests) of the same group. Listed if the Mann-Whitney U test gives p < ${probability} and the ratio differs from 1 by at least ${smallest}. With that p, about ${probability * 100} in 100 unchanged measures are listed by chance.`,
    changes.length === 0
      ? "Nothing changed beyond the noise."
      : table(
          ["measure", "before", "after", "ratio"],
          changes.map((each) => [
            each.measure,
            ...[each.before, each.after].map(number),
            each.ratio.toFixed(2),
          ]),
        ),
  ].join("\n\n");
}
