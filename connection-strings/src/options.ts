/** Reads the options of connection strings, and encodes their texts. */
import { isPercentEncoded } from "./parsing";

/** One `name=value` of a string. */
export interface StringOption {
  /** The decoded name in lower case, because drivers ignore the case. */
  readonly lowerName: string;
  /** The key that all spellings of the option share. */
  readonly key: string;
  /** The name and the value as they stand in the string. */
  readonly whole: string;
  /** The decoded value. */
  readonly value: string;
  /** The value as it stands in the string; undefined without a `=`. */
  readonly text: string | undefined;
}

/** Reads the options of a string, in their order. */
export function optionsIn(options: string | undefined): StringOption[] {
  if (!options) return [];
  return options.split("&").map((whole) => {
    const [encodedName = "", ...encodedValue] = whole.split("=");
    const lowerName = percentDecode(encodedName).toLowerCase();
    const text = encodedValue.length === 0 ? undefined : encodedValue.join("=");
    // Drivers read a plus sign in an option as a space.
    const value = percentDecode(text?.replaceAll("+", " ") ?? "");
    return { lowerName, key: optionKey(lowerName), whole, value, text };
  });
}

/** Groups options by a text of each, in the order in which it first appears. Quick for any number of options. */
export function groupedOptions(
  options: readonly StringOption[],
  textOf: (option: StringOption) => string,
): Map<string, StringOption[]> {
  const groups = new Map<string, StringOption[]>();
  for (const option of options) {
    const text = textOf(option);
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [option]);
    else group.push(option);
  }
  return groups;
}

/** Returns the key that all spellings of an option share. `ssl` is an alias of `tls`. */
export function optionKey(name: string): string {
  const lowerCase = name.toLowerCase();
  return lowerCase === "ssl" ? "tls" : lowerCase;
}

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

/** Decodes percent-encoded text. Returns incorrectly encoded text unchanged. */
export function percentDecode(text: string): string {
  return isPercentEncoded(text) ? decodeURIComponent(text) : text;
}
