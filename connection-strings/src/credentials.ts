/**
 * The module `clouddb-connection-strings/credentials` adds the credentials of a database user to a connection string,
 * encoded according to RFC 3986. It is for callers that need nothing else from the package.
 */
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import { format, isPercentEncoded, parse } from "./parsing";

export {
  ConnectionStringError,
  type ConnectionStringErrorCode,
  connectionStringErrorCodes,
} from "./errors";

/** Values by option name. Names are case-insensitive; null and undefined are omitted. */
export type CredentialOptions = Readonly<
  Record<string, string | number | boolean | null | undefined>
>;

/** The credentials of a database user (service document section 1 rule 2), and options to add. */
export interface DatabaseCredentials {
  /** The name of the database user, not encoded. Must not be empty. */
  readonly username: string;
  /** The password of the database user, not encoded. Must not be empty. */
  readonly password: string;
  /**
   * Added after the existing options of the string, for example `{ retryWrites: true }`. Names are
   * case-insensitive. Options whose value is null or undefined are omitted.
   *
   * @default no options
   */
  readonly options?: CredentialOptions | null | undefined;
}

/**
 * Adds credentials and options to a connection string. Leaves the scheme, hosts, ports, database and existing options
 * unchanged. An option that already exists with the same value is not added.
 *
 * The service's API returns strings without credentials, because API credentials do not give access to data (service
 * document section 1 rule 2).
 *
 * @param connectionString a string without credentials
 * @param credentials the database user's credentials, and options to add
 * @returns the connection string with both, percent-encoded except for colons and commas in options
 * @throws {@link ConnectionStringError} with one of these codes. The message never contains any part of
 * the string, the user name or the password.
 * - `not-a-connection-string`, `invalid-host`, `invalid-srv`: the text is not a connection string.
 * - `has-credentials`: the string already contains credentials.
 * - `invalid-credentials`: the user name or password is empty, a text is not well-formed Unicode, or an option is not
 *   text, a number or a boolean.
 * - `option-conflict`: an option already exists with another value, or is passed twice with different
 *   values. The message contains the name of the option.
 * @example
 * withCredentials("db+srv://orders.ab1cd.db.example", { username: "app", password: "p@ss" });
 * // "db+srv://app:p%40ss@orders.ab1cd.db.example"
 */
export function withCredentials(
  connectionString: string,
  { username, password, options }: DatabaseCredentials,
): string {
  // Any @ may end an unencoded password, and part of a password must never be treated as a host.
  if (typeof connectionString === "string" && connectionString.includes("@")) {
    throw new ConnectionStringError(
      codes.hasCredentials,
      "the connection string already contains credentials, or an @ that is not percent-encoded. Pass the string without them",
    );
  }
  const parsed = parse(connectionString);
  const userInfo = `${encodeCredential(username, "username")}:${encodeCredential(password, "password")}`;
  const added = addedOptions(parsed.options ?? "", options ?? {});
  if (added.length === 0) return format({ ...parsed, userInfo });
  return format({
    ...parsed,
    userInfo,
    // Drivers require a slash before the options even if there is no database.
    database: parsed.database ?? (parsed.options === undefined ? "" : undefined),
    options: [...(parsed.options ? [parsed.options] : []), ...added].join("&"),
  });
}

function encodeCredential(text: string, property: "username" | "password"): string {
  if (typeof text !== "string" || text === "") {
    throw new ConnectionStringError(
      codes.invalidCredentials,
      `the ${property} is empty. Pass the ${property} of a database user`,
    );
  }
  return percentEncodeNamed(text, `the ${property}`);
}

/** The error from encodeURIComponent would not say which text is malformed. */
function percentEncodeNamed(text: string, name: string): string {
  try {
    return percentEncode(text);
  } catch {
    const problem = "contains an invalid character (a lone surrogate)";
    throw new ConnectionStringError(
      codes.invalidCredentials,
      `${name} ${problem}. Remove the character`,
    );
  }
}

/**
 * Returns the options to add as percent-encoded text, each once. Omits those that already exist with the same value.
 */
function addedOptions(existingOptions: string, options: CredentialOptions): string[] {
  if (typeof options !== "object" || Array.isArray(options))
    throw invalidOptions("the options are not an object");
  const existing = valuesByName(existingOptions);
  const added = new Map<string, { readonly value: string; readonly text: string }>();
  for (const [name, requestedValue] of Object.entries(options)) {
    if (requestedValue === undefined || requestedValue === null) continue;
    if (typeof requestedValue === "object")
      throw invalidOptions(`the option ${labelOf(name)} is not text, a number or a boolean`);
    const [key, value] = [keyOf(name), String(requestedValue)];
    const duplicate = added.get(key);
    if (duplicate !== undefined && duplicate.value !== value) {
      throw conflict(
        `the option ${labelOf(name)} is passed twice with different values. Pass it once`,
      );
    }
    const existingValues = existing.get(key);
    if (existingValues === undefined) {
      const text = [name, value].map((part) => percentEncodeNamed(part, "an option")).join("=");
      // Some drivers split lists of pairs before they decode them.
      const separated = text.replace(/%3A|%2C/g, decodeURIComponent);
      added.set(key, duplicate ?? { value, text: separated });
    } else if (existingValues.size > 1 || !existingValues.has(value)) {
      throw conflict(
        `the connection string already has the option ${labelOf(name)} with another value. Omit it, or pass the same value`,
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

function invalidOptions(problem: string): ConnectionStringError {
  const remedy = "Pass options such as { retryWrites: true }";
  return new ConnectionStringError(codes.invalidCredentials, `${problem}. ${remedy}`);
}

function conflict(problem: string): ConnectionStringError {
  return new ConnectionStringError(codes.optionConflict, problem);
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
function percentDecode(text: string): string {
  return isPercentEncoded(text) ? decodeURIComponent(text) : text;
}
