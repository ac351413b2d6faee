/** Values that a preview does not know yet, such as outputs of a resource that does not exist yet. */
import { unknownMarker } from "../api/plainValues";

/**
 * Returns whether a value, or any part of it, is not known yet.
 *
 * @param value an input from the engine
 * @returns true if so; false for any other value, including an absent one
 */
export function containsUnknown(value: unknown): boolean {
  if (value === unknownMarker) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(containsUnknown);
}
