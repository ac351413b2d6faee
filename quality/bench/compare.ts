/** Compares the results of two runs. */
import { table } from "../report";
import { median } from "../statistics";
import type { Results } from "./results";

/** The thresholds for the p-value and for the change of the median. */
const [probability, smallest] = [0.03, 0.03];

/**
 * Returns the measures that changed, with their medians. Values are relative to the controls of the same group, such
 * as `empty`. Controls run none of this repository's code, so a slower machine does not count as a change.
 */
export function changesOf({ measures: earlier }: Results, { measures: later }: Results) {
  const pairs = later.flatMap((after) => {
    const before = earlier.find((each) => each.group === after.group && each.label === after.label);
    const isMeasured = before !== undefined && before.values.length * after.values.length > 0;
    return isMeasured ? [{ ...after, before: before.values }] : [];
  });
  return pairs.flatMap(({ group, label, unit, isControl = false, before, values }) => {
    const controls = pairs.filter((each) => each.group === group && each.isControl === true);
    const scales = controls.map((each) => median(each.values) / median(each.before));
    const scaled = values.map((value) => value / (scales.length === 0 ? 1 : median(scales)));
    const ratio = median(scaled) / median(before);
    const isSignificant = unit === "bytes" || mannWhitney(before, scaled) < probability;
    if (isControl || !isSignificant || Math.abs(ratio - 1) < smallest) return [];
    return [{ name: `${group}: ${label}`, medians: [before, values].map(median), ratio }];
  });
}

/**
 * Returns the exact two-sided p-value of the Mann-Whitney U test. It is the probability of a difference at least this
 * large if both samples have the same distribution.
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

/** Counts the orders of m and n values that have each U, which are Gaussian binomial coefficients (m + n over m). */
function uCounts(m: number, n: number): readonly number[] {
  let counts = [1, ...Array<number>(m * n).fill(0)];
  for (let i = 1; i <= m; i += 1) {
    counts = counts.map((count, u) => count - (counts[u - n - i] ?? 0));
    for (let u = i; u < counts.length; u += 1) counts[u] = (counts[u] ?? 0) + (counts[u - i] ?? 0);
  }
  return counts;
}

/** Renders the changes as Markdown. */
export function compare(before: Results, after: Results): string {
  const rows = changesOf(before, after).map(({ name, medians, ratio }) => {
    return [name, ...medians.map((each) => Number(each.toPrecision(3))), ratio.toFixed(2)];
  });
  return [
    `# Changes from ${before.conditions.revision} to ${after.conditions.revision}`,
    `Median values, and the ratio after division by the change of the controls (\`empty\`, \`sdkOnly\`) of the same group. Listed if the Mann-Whitney U test gives p < ${probability} and the ratio differs from 1 by at least ${smallest}. With that p, about ${probability * 100} in 100 unchanged measures are listed by chance.`,
    rows.length === 0
      ? "Nothing changed beyond the noise."
      : table(["measure", "before", "after", "ratio"], rows),
  ].join("\n\n");
}
