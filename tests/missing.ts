/** Tests that need a program which this machine may lack. */

/** What a machine lacks for a test, which is skipped. */
export class Missing extends Error {}

/** Skips the tests of the enclosing `describe` if something is missing; throws any other error. */
export function skipIfMissing(context: Mocha.Context, error: unknown): void {
  if (!(error instanceof Missing)) throw error;
  console.log(`    Skipped: ${error.message}.`);
  context.skip();
}
