/** Reads the options of connection strings, adds others to them, and encodes their texts. */
import { isPercentEncoded } from "./parsing";
import { mechanismsWithoutPassword } from "./rules/optionValues";

/** One `name=value` of a string. */
export interface StringOption {
  /** The decoded name in lower case, because drivers ignore the case. */
  readonly lowerName: string;
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
    return { lowerName, whole, value, text };
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

/** The value of an option. */
export type OptionValue = string | number | boolean;

/** Values by name, in any case. Null and undefined are omitted; a list repeats the option, as `readPreferenceTags`. */
export type CredentialOptions = Readonly<
  Record<string, OptionValue | readonly OptionValue[] | null | undefined>
>;

/** An option to add. */
export interface AddedOption {
  /** The key that all spellings of the option share. */
  readonly key: string;
  readonly name: string;
  /** As text, in the order in which the option is repeated. */
  readonly values: readonly string[];
}

/** Returns the options that are not null or undefined, and that have a value. */
export function addedOptions(options: CredentialOptions | null | undefined): AddedOption[] {
  return Object.entries(options ?? {}).flatMap(([name, value]) => {
    const values = value === undefined || value === null ? [] : [value].flat().map(String);
    return values.length === 0 ? [] : { key: optionKey(name), name, values };
  });
}

/** Returns the mechanism that the options name, in capitals; empty if they name none. */
export function mechanismOf(inString: string | undefined, added: readonly AddedOption[]): string {
  const passed = added.find(({ key }) => key === "authmechanism")?.values[0];
  const existing = optionsIn(inString).find(
    ({ lowerName }) => lowerName === "authmechanism",
  )?.value;
  return (passed ?? existing ?? "").toUpperCase();
}

/**
 * Returns the options in a string with those to add, as they stand in the new string. An option of the string stays,
 * except for the source of a mechanism: services name that of users with a password, `admin`, which drivers refuse for
 * any other user, or with `PLAIN` take for the place of the user.
 */
export function joinOptions(
  inString: string | undefined,
  added: readonly AddedOption[],
): string | undefined {
  const mechanism = mechanismOf(inString, added);
  const isPlain = mechanism === "PLAIN";
  const source = added.find(({ key }) => key === "authsource")?.values[0] ?? "$external";
  const isReplaced = isPlain || mechanismsWithoutPassword.includes(mechanism);
  const existing = isReplaced ? withSource(inString, source) : inString;
  const present = new Set(optionsIn(existing).map(({ lowerName }) => optionKey(lowerName)));
  // Without a source, drivers would look for a user of PLAIN in the database of the path or in DNS.
  const ofPlain = isPlain ? [{ key: "authsource", name: "authSource", values: [source] }] : [];
  const texts = [...added, ...ofPlain].flatMap(({ key, name, values }) => {
    if (present.has(key)) return [];
    present.add(key);
    return values.map((value) => optionText(name, value));
  });
  return texts.length === 0 ? existing : [...(existing ? [existing] : []), ...texts].join("&");
}

/**
 * Returns the options with this source instead of any other. Adds none, so that the URLs of strings without a source do
 * not change.
 */
function withSource(options: string | undefined, source: string): string | undefined {
  const existing = optionsIn(options);
  const all = existing.filter(({ lowerName }) => lowerName === "authsource");
  const [first, ...others] = all;
  if (all.every(({ value }) => value === source)) return options;
  return existing
    .filter((option) => !others.includes(option))
    .map((option) => (option === first ? optionText("authSource", source) : option.whole))
    .join("&");
}

function optionText(name: string, value: string): string {
  const text = `${percentEncode(name)}=${percentEncode(value)}`;
  // Some drivers split lists of pairs before they decode them.
  return text.replace(/%3A|%2C/g, decodeURIComponent);
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
