/** Samples of tests that repeat one behavior at many points. `npm test -- --full` runs all of them. */

/**
 * Returns the points to test.
 *
 * @param all the points that a layer on its own tests
 * @param sample the points that `npm test` tests
 */
export function pointsToTest(all: readonly number[], sample: readonly number[]): readonly number[] {
  return process.env["TEST_SAMPLE"] === "1" ? sample : all;
}
