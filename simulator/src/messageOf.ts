/**
 * Returns the message of a thrown value.
 *
 * @param error the thrown value
 * @returns the message of an `Error`, or any other value as text
 */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
