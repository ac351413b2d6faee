/** Failures of rows. */

/** The first step of a row that failed. */
export interface RowFailure {
  readonly step: string;
  /** Why, and what the step printed. */
  readonly output: string;
}

/** Waits for a step, and returns its failure. */
export async function failureOf(
  step: string,
  work: Promise<unknown>,
): Promise<RowFailure | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return { step, output: error instanceof Error ? error.message : String(error) };
  }
}
