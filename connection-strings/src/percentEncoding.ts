/** Percent-encoding according to RFC 3986. */

/**
 * Percent-encodes everything except the unreserved characters (RFC 3986 2.3).
 *
 * @param text well-formed Unicode text
 * @returns the encoded text
 * @throws URIError for a lone surrogate
 * @example
 * percentEncode("p@ss!"); // "p%40ss%21"
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Returns whether text is percent-encoded correctly: every `%` starts the encoding of a character.
 *
 * @param text the encoded text
 * @returns false for text such as `%4`, `%zz` and `%ff`
 */
export function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Decodes percent-encoded text.
 *
 * @param text the encoded text
 * @returns the decoded text, or the same text if it is not encoded correctly
 * @example
 * percentDecode("p%40ss"); // "p@ss"
 */
export function percentDecode(text: string): string {
  return isPercentEncoded(text) ? decodeURIComponent(text) : text;
}
