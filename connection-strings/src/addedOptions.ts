/** Determines which options to add to a connection string, each once. */
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import { percentDecode, percentEncode } from "./percentEncoding";

/** Values by option name. Names are case-insensitive; null and undefined are omitted. */
export type Options = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * Determines which options to add to a connection string.
 *
 * @param existingOptions the text after the question mark; empty if there is none
 * @param options the requested options
 * @returns the options as percent-encoded text: each once, without those that already exist with the
 * same value
 * @throws {@link ConnectionStringError} with code `option-conflict` if an option already exists with
 * another value or is requested with two values, and `invalid-credentials` if it cannot be encoded
 * @example
 * addedOptions("tls=true", { TLS: true, w: 1 }); // ["w=1"]
 */
export function addedOptions(existingOptions: string, options: Options): string[] {
  const existing = valuesByName(existingOptions);
  const added = new Map<string, { readonly value: string; readonly text: string }>();
  for (const [name, requestedValue] of Object.entries(options)) {
    if (requestedValue === undefined || requestedValue === null) continue;
    const [key, value] = [keyOf(name), String(requestedValue)];
    const duplicate = added.get(key);
    if (duplicate !== undefined && duplicate.value !== value) {
      throw conflict(`the option ${labelOf(name)} is passed twice with different values`);
    }
    const existingValues = existing.get(key);
    if (existingValues === undefined) {
      added.set(key, duplicate ?? { value, text: encodedOption(name, value) });
    } else if (existingValues.size > 1 || !existingValues.has(value)) {
      throw conflict(
        `the connection string already has the option ${labelOf(name)} with another value`,
      );
    }
  }
  return Array.from(added.values(), ({ text }) => text);
}

/** Returns the key that all spellings of an option share. `ssl` is an alias of `tls`. */
function keyOf(name: string): string {
  const lowerCase = name.toLowerCase();
  return lowerCase === "ssl" ? "tls" : lowerCase;
}

function labelOf(name: string): string {
  return keyOf(name) === "tls" ? "tls (alias: ssl)" : name;
}

/** Decodes options. An option can have several values under its key. */
function valuesByName(options: string): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>();
  for (const option of options.split("&")) {
    const [encodedName = "", ...encodedValue] = option.split("=");
    const name = keyOf(percentDecode(encodedName));
    const value = percentDecode(encodedValue.join("="));
    values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  return values;
}

function encodedOption(name: string, value: string): string {
  try {
    return `${percentEncode(name)}=${percentEncode(value)}`;
  } catch {
    throw new ConnectionStringError(
      codes.invalidCredentials,
      "an option is not well-formed Unicode text (it contains a lone surrogate)",
    );
  }
}

function conflict(problem: string): ConnectionStringError {
  return new ConnectionStringError(codes.optionConflict, problem);
}
