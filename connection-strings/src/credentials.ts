/**
 * The module `clouddb-connection-strings/credentials`: adds the credentials of a database user to a
 * connection string, encoded according to RFC 3986. For callers that need nothing else of the package.
 */
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import { format, parse } from "./parsing";

export { ConnectionStringError } from "./errors";

/** The credentials of a database user, and options to add to the connection string. */
export interface DatabaseCredentials {
  readonly username: string;
  readonly password: string;
  /**
   * Added after the existing options of the string, for example `{ retryWrites: true }`. Names are
   * case-insensitive. Options whose value is null or undefined are omitted.
   *
   * @default no options
   */
  readonly options?:
    | Readonly<Record<string, string | number | boolean | null | undefined>>
    | null
    | undefined;
}

/**
 * Adds credentials and options to a connection string. Scheme, hosts, port, database and existing
 * options stay exactly as they are. An option that already exists with the same value is not added.
 *
 * @param connectionString a string without credentials
 * @param credentials the database user's credentials, and options to add
 * @returns the connection string with both, percent-encoded
 * @throws {@link ConnectionStringError} if the text is not a connection string
 * (`not-a-connection-string`, `invalid-host`, `invalid-srv`), if it already contains credentials
 * (`has-credentials`), if an option already exists with another value or is given twice with different
 * values (`option-conflict`), or if the user name or password is empty (`invalid-credentials`). The
 * message never contains any part of the string or the credentials.
 * @example
 * withCredentials("db+srv://orders.ab1cd.db.example", { username: "app", password: "p@ss" });
 * // "db+srv://app:p%40ss@orders.ab1cd.db.example"
 */
export function withCredentials(
  connectionString: string,
  { username, password, options }: DatabaseCredentials,
): string {
  // Any @ may end a password that was not encoded: never treat part of a password as a host.
  if (typeof connectionString === "string" && connectionString.includes("@")) {
    throw new ConnectionStringError(
      codes.hasCredentials,
      "the connection string already contains credentials, or an @ that is not percent-encoded: pass the string without them",
    );
  }
  const parsed = parse(connectionString);
  const userInfo = `${encoded(username, "username")}:${encoded(password, "password")}`;
  const added = newOptions(parsed.options ?? "", options ?? {});
  if (added.length === 0) return format({ ...parsed, userInfo });
  return format({
    ...parsed,
    userInfo,
    // Drivers require a slash before the options even if there is no database.
    database: parsed.database ?? (parsed.options === undefined ? "" : undefined),
    options: [...(parsed.options ? [parsed.options] : []), ...added].join("&"),
  });
}

/**
 * Percent-encodes everything except the unreserved characters (RFC 3986 2.3).
 *
 * @param text well-formed Unicode text
 * @returns the encoded text
 * @throws URIError for a lone surrogate
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function encoded(text: string, what: "username" | "password"): string {
  if (typeof text !== "string" || text === "") {
    throw new ConnectionStringError(codes.invalidCredentials, `the ${what} is empty`);
  }
  try {
    return percentEncode(text);
  } catch {
    // The error of encodeURIComponent does not say which text is malformed.
    throw new ConnectionStringError(
      codes.invalidCredentials,
      `the ${what} is not well-formed Unicode text (it contains a lone surrogate)`,
    );
  }
}

/** Returns the options to add as text: each once, without those that already exist with that value. */
function newOptions(
  present: string,
  options: NonNullable<DatabaseCredentials["options"]>,
): string[] {
  const inString = new Map<string, Set<string>>();
  for (const option of present.split("&")) {
    const [name, value] = decodedOption(option);
    inString.set(name, (inString.get(name) ?? new Set()).add(value));
  }
  const added = new Map<string, { readonly value: string; readonly text: string }>();
  for (const [name, given] of Object.entries(options)) {
    if (given === undefined || given === null) continue;
    const [key, value] = [name.toLowerCase(), String(given)];
    const before = added.get(key);
    if (before !== undefined && before.value !== value) {
      throw conflict(`the option ${name} is given twice, with different values`);
    }
    const values = inString.get(key);
    if (values === undefined) added.set(key, before ?? { value, text: optionText(name, value) });
    else if (values.size > 1 || !values.has(value)) {
      throw conflict(`the connection string already has the option ${name}, with another value`);
    }
  }
  return Array.from(added.values(), ({ text }) => text);
}

function conflict(problem: string): ConnectionStringError {
  return new ConnectionStringError(codes.optionConflict, problem);
}

function optionText(name: string, value: string): string {
  try {
    return `${percentEncode(name)}=${percentEncode(value)}`;
  } catch {
    throw new ConnectionStringError(
      codes.invalidCredentials,
      "an option is not well-formed Unicode text (it contains a lone surrogate)",
    );
  }
}

/** Splits and decodes an option. Its name is case-insensitive, so it is returned in lower case. */
function decodedOption(option: string): [name: string, value: string] {
  const [name = "", ...value] = option.split("=");
  return [percentDecode(name).toLowerCase(), percentDecode(value.join("="))];
}

/** Decodes the text, or returns it unchanged if it is not encoded correctly. */
function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
