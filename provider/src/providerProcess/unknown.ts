/** Values that a preview does not know yet, such as outputs of a resource that does not exist yet. */

/** The marker that the engine sends in place of an unknown value of any type. */
const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/**
 * Returns whether a value, or any part of it, is not known yet.
 *
 * @param value an input from the engine
 * @returns true if so; false for any other value, including an absent one
 */
export function containsUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(containsUnknown);
}
