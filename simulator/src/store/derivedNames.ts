/** IDs and names derived from other values: the same values always result in the same name. */
import { createHash } from "node:crypto";

/**
 * Returns the SHA-256 digest of one or more values.
 *
 * @param parts the values
 * @returns 64 hexadecimal digits
 */
export function digest(...parts: string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

/**
 * Derives a name of lower case letters and digits.
 *
 * @param length length of the name
 * @param parts the values to derive it from: the same parts always result in the same name
 * @returns the name
 */
export function shortName(length: number, ...parts: string[]): string {
  const number = BigInt(`0x${digest(...parts)}`).toString(36);
  return number.slice(-length);
}

/**
 * Derives the cluster's part of its host names.
 *
 * @param name name of the cluster
 * @returns the name in lower case, truncated to 23 characters so that host labels stay within 63
 */
export function hostNamePart(name: string): string {
  return name.toLowerCase().slice(0, 23).replace(/-+$/, "");
}
