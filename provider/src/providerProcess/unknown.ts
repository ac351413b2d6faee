/** Values that a preview does not know yet: the output of a resource that is still to be created. */

/** What the engine sends in place of an unknown value, whatever its type. */
const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/**
 * Returns whether a value, or any part of it, is not known yet.
 *
 * @param value an input from the engine
 * @returns false also for a value that is absent
 */
export function containsUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(containsUnknown);
}
