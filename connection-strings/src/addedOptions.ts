/** The options that a caller adds to those of a connection string. */
import { isDeepStrictEqual } from "node:util";
import { ConnectionStringError, invalidCredentials, optionConflict } from "./errors";
import { type StringOption, groupedOptions, optionKey, optionsIn, percentEncode } from "./options";
import { mechanismsWithoutPassword } from "./rules/combinations";
import { argumentByOption } from "./rules/mistakes";

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
export function mechanismOf(
  existing: readonly StringOption[],
  added: readonly AddedOption[],
): string {
  const passed = added.find(({ key }) => key === "authmechanism")?.values[0];
  const inString = existing.find(({ key }) => key === "authmechanism")?.value;
  return (passed ?? inString ?? "").toUpperCase();
}

/** The source of users that are not defined in a database. */
const externalSource = "$external";

/**
 * Returns the options in a string with those to add, as they stand in the new string. An option of the string stays,
 * except for the source of a mechanism: services name that of users with a password, `admin`, which drivers refuse for
 * any other user, or with `PLAIN` take for the place of the user.
 */
export function joinOptions(
  inString: string | undefined,
  added: readonly AddedOption[],
): string | undefined {
  const mechanism = mechanismOf(optionsIn(inString), added);
  const isPlain = mechanism === "PLAIN";
  const passed = added.find(({ key }) => key === "authsource")?.values[0];
  const source = passed ?? externalSource;
  const isReplaced = isPlain || mechanismsWithoutPassword.includes(mechanism);
  const existing = isReplaced ? withSource(inString, source) : inString;
  const present = new Set(optionsIn(existing).map(({ key }) => key));
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
  const first = existing.findIndex(({ key }) => key === "authsource");
  if (existing.every(({ key, value }) => key !== "authsource" || value === source)) return options;
  return existing
    .flatMap(({ key, whole }, index) => {
      if (key !== "authsource") return whole;
      return index === first ? optionText("authSource", source) : [];
    })
    .join("&");
}

function optionText(name: string, value: string): string {
  const text = `${percentEncode(name)}=${percentEncode(value)}`;
  // Some drivers split lists of pairs before they decode them.
  return text.replace(/%3A|%2C/g, decodeURIComponent);
}

/** Rejects options that cannot be added. */
export function requireOptions(options: CredentialOptions): void {
  if (typeof options !== "object" || Array.isArray(options))
    throw invalidOptions("the options are not an object");
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null) continue;
    requireNoArgument(name);
    for (const one of [value].flat()) requireValue(name, one);
  }
}

/** Rejects credentials among the options, which callers do not treat as secrets. */
function requireNoArgument(name: string): void {
  const argument = argumentByOption.get(name.toLowerCase());
  if (argument === undefined) return;
  throw invalidCredentials(
    `no driver knows the option ${name}. Omit it, and pass the argument ${argument}`,
  );
}

function requireValue(name: string, value: unknown): void {
  const label = labelOf(name);
  if (typeof value === "number" && !Number.isFinite(value))
    throw invalidOptions(`the option ${label} is ${value}, not a finite number`);
  if (!["string", "number", "boolean"].includes(typeof value))
    throw invalidOptions(`the option ${label} is not text, a number, a boolean or a list of these`);
  requireWellFormed(`${name}${String(value)}`, "an option");
  // An empty tag set means any member.
  if (value !== "" || optionKey(name) === "readpreferencetags") return;
  throw new ConnectionStringError(
    "option-value",
    `the option ${label} is empty. Omit it, or pass null`,
  );
}

/**
 * Rejects an option that is passed twice, or is in the string, with another value.
 *
 * @param joined the options of the new string
 */
export function requireNoConflict(added: readonly AddedOption[], joined: string | undefined): void {
  const present = groupedOptions(optionsIn(joined), ({ key }) => key);
  const passed = new Map<string, readonly string[]>();
  for (const { key, name, values } of added) {
    const [value] = values;
    const existing = (present.get(key) ?? []).map((option) => option.value);
    const isSame =
      values.length > 1
        ? isDeepStrictEqual(existing, values)
        : existing.every((other) => other === value);
    if (!isDeepStrictEqual(passed.get(key) ?? values, values))
      throw optionConflict(
        `the option ${labelOf(name)} is passed twice with different values. Pass it once`,
      );
    if (!isSame)
      throw optionConflict(
        `the connection string already has the option ${labelOf(name)} with another value. Omit it, or pass the same value`,
      );
    passed.set(key, values);
  }
}

/** Rejects text with a lone surrogate, which cannot be percent-encoded. */
export function requireWellFormed(text: string, name: string): void {
  if (!/\p{Cs}/u.test(text)) return;
  throw invalidCredentials(
    `${name} contains an invalid character (a lone surrogate). Remove the character`,
  );
}

function labelOf(name: string): string {
  return optionKey(name) === "tls" ? "tls (alias: ssl)" : name;
}

function invalidOptions(problem: string): ConnectionStringError {
  return invalidCredentials(`${problem}. Pass options such as { retryWrites: true }`);
}
