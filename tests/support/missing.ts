/** Skips tests that need a program which is not installed. */

/** Thrown if the machine lacks something that a test needs. */
export class Missing extends Error {}

/** Skips the tests of the enclosing `describe` if something is missing; throws any other error. */
export function skipIfMissing(context: Mocha.Context, error: unknown): void {
  if (!(error instanceof Missing)) throw error;
  console.log(`    Skipped: ${error.message}.`);
  context.skip();
}
