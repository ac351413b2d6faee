/** Samples of tests that repeat one behavior. `npm run test:all -- --full` runs all of them. */

/** Returns what to test. */
export function allOrSample<T>(all: readonly T[], sample: readonly T[]): readonly T[] {
  return process.env["TEST_SAMPLE"] === "1" ? sample : all;
}
