/** The error for invalid values. */

/** An invalid seed, setting or fault. The message contains the path of each problem. */
export class SeedError extends Error {
  /** Name of the class, to recognize the error without `instanceof`. */
  override readonly name = "SeedError";
}
