/** Runs measurements in alternation and summarizes them. */

/**
 * Runs a, b, c, a, b, c, ... so that other load on the machine affects all of them. The first round
 * warms up caches and is ignored, unless it is the only one.
 *
 * @returns the values of each measure, in the order of the measures
 */
export async function alternate(
  runs: number,
  measures: readonly (() => Promise<number>)[],
): Promise<number[][]> {
  const samples: number[][] = measures.map(() => []);
  const warmUp = runs > 1 ? 1 : 0;
  for (let run = 0; run < runs + warmUp; run += 1) {
    for (const [i, measure] of measures.entries()) {
      const value = await measure();
      if (run >= warmUp) samples[i]?.push(value);
    }
  }
  return samples;
}

/** Returns the median, or NaN if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** Returns how long the work takes, in milliseconds. */
export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
