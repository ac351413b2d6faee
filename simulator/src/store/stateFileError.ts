/** The error for an unusable state file. */

/** The state file cannot be read, is damaged or cannot be written. */
export class StateFileError extends Error {
  /** Name of the class, to recognize the error without `instanceof`. */
  override readonly name = "StateFileError";
}
