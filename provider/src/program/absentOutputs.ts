/** Converts outputs that are recorded as null to undefined for programs. */
import type { Output } from "./sdk";

/**
 * Turns the null that the state records for an output without a value into undefined, which is what
 * its type says and what programs test for (docs/decisions/0013-absent-outputs.md).
 *
 * @param output an optional output of a resource
 * @returns an output that is known and secret if `output` is
 */
export function absentAsUndefined<T>(output: Output<T | undefined>): Output<T | undefined> {
  return output.apply((value) => value ?? undefined);
}
