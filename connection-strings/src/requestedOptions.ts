/** The options that a caller adds to a connection string. */
import { isDeepStrictEqual } from "node:util";
import { type ConnectionStringError, invalidCredentials, optionConflict } from "./errors";
import { optionKey, percentEncode } from "./options";

/** The value of an option. */
export type OptionValue = string | number | boolean;

/** Values by name, in any case. Null and undefined are omitted; a list repeats the option, as `readPreferenceTags`. */
export type CredentialOptions = Readonly<
  Record<string, OptionValue | readonly OptionValue[] | null | undefined>
>;

/** An option to add. */
export interface RequestedOption {
  /** The key that all spellings of the option share. */
  readonly key: string;
  readonly name: string;
  readonly values: readonly string[];
  /** The first value. */
  readonly value: string;
}

/** The arguments by the names of options that are written instead, none of which a driver knows. */
const argumentByOption: ReadonlyMap<string, string> = new Map([
  ["username", "username"],
  ["user", "username"],
  ["password", "password"],
  ["pwd", "password"],
]);

/** Reads the options to add, each once. */
export function requestedOptions(options: CredentialOptions): RequestedOption[] {
  if (typeof options !== "object" || Array.isArray(options))
    throw invalidOptions("the options are not an object");
  const byKey = new Map<string, RequestedOption>();
  for (const [name, requested] of Object.entries(options)) {
    if (requested === undefined || requested === null) continue;
    requireNoArgument(name);
    const values = [requested].flat().map((value) => optionText(name, value));
    const [value] = values;
    if (value === undefined) continue;
    const key = optionKey(name);
    const duplicate = byKey.get(key);
    if (duplicate !== undefined && !isDeepStrictEqual(duplicate.values, values)) {
      throw optionConflict(
        `the option ${labelOf(name)} is passed twice with different values. Pass it once`,
      );
    }
    byKey.set(key, duplicate ?? { key, name, values, value });
  }
  return [...byKey.values()];
}

/** Rejects credentials among the options, which callers do not treat as secrets. */
function requireNoArgument(name: string): void {
  const argument = argumentByOption.get(name.toLowerCase());
  if (argument === undefined) return;
  throw invalidCredentials(
    `no driver knows the option ${name}. Omit it, and pass the argument ${argument}`,
  );
}

function optionText(name: string, value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value))
    throw invalidOptions(`the option ${labelOf(name)} is ${value}, not a finite number`);
  if (["string", "number", "boolean"].includes(typeof value)) return String(value);
  throw invalidOptions(
    `the option ${labelOf(name)} is not text, a number, a boolean or a list of these`,
  );
}

/** Returns an option as percent-encoded text, once for each value; none if it already exists with the same values. */
export function addedText(
  { name, values, value }: RequestedOption,
  present: readonly string[] = [],
): string[] {
  const isSame =
    values.length > 1
      ? isDeepStrictEqual(present, values)
      : present.every((existing) => existing === value);
  if (present.length > 0 && isSame) return [];
  if (present.length > 0) {
    throw optionConflict(
      `the connection string already has the option ${labelOf(name)} with another value. Omit it, or pass the same value`,
    );
  }
  return values.map((value) => {
    const text = [name, value].map((part) => percentEncodeNamed(part, "an option")).join("=");
    // Some drivers split lists of pairs before they decode them.
    return text.replace(/%3A|%2C/g, decodeURIComponent);
  });
}

/** Percent-encodes a text. Throws an error that names it, because that of encodeURIComponent does not. */
export function percentEncodeNamed(text: string, name: string): string {
  try {
    return percentEncode(text);
  } catch {
    throw invalidCredentials(
      `${name} contains an invalid character (a lone surrogate). Remove the character`,
    );
  }
}

function labelOf(name: string): string {
  return optionKey(name) === "tls" ? "tls (alias: ssl)" : name;
}

function invalidOptions(problem: string): ConnectionStringError {
  return invalidCredentials(`${problem}. Pass options such as { retryWrites: true }`);
}
