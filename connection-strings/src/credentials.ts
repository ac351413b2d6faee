/**
 * The module `clouddb-connection-strings/credentials` adds the credentials of a database user to a connection string,
 * encoded according to RFC 3986. It is for callers that need nothing else from the package.
 */
import { isDeepStrictEqual } from "node:util";
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import { type StringOption, optionKey, optionsIn, percentDecode } from "./options";
import { type ConnectionStringParts, format, parse } from "./parsing";

export {
  ConnectionStringError,
  type ConnectionStringErrorCode,
  connectionStringErrorCodes,
} from "./errors";

/** The value of an option. */
export type OptionValue = string | number | boolean;

/** Values by name, in any case. Null and undefined are omitted; a list repeats the option, as `readPreferenceTags`. */
export type CredentialOptions = Readonly<
  Record<string, OptionValue | readonly OptionValue[] | null | undefined>
>;

/** The credentials of a database user (service document section 1 rule 2), a database, and options to add. */
export interface DatabaseCredentials {
  /**
   * The name of the database user, not encoded. Required, unless the option `authMechanism` is `MONGODB-X509`,
   * `MONGODB-AWS` or `MONGODB-OIDC`.
   */
  readonly username?: string | undefined;
  /**
   * The password of the database user, not encoded. Required, unless the option `authMechanism` is one of these, or
   * `GSSAPI`.
   */
  readonly password?: string | undefined;
  /**
   * The database of the application, not encoded, which becomes the path.
   *
   * @default the database in the string
   */
  readonly database?: string | undefined;
  /**
   * Added after the existing options of the string, for example `{ retryWrites: true }`. Names are case-insensitive.
   * Options whose value is null or undefined are omitted. A list repeats the option.
   *
   * @default no options
   */
  readonly options?: CredentialOptions | null | undefined;
}

/**
 * Adds credentials, a database and options to a connection string. Leaves the scheme, hosts, ports and existing options
 * unchanged. An option that already exists with the same value is not added.
 *
 * The service's API returns strings without credentials, because API credentials do not give access to data (service
 * document section 1 rule 2).
 *
 * @param connectionString a string without credentials
 * @param credentials the database user's credentials, a database and options to add
 * @returns the connection string with them, percent-encoded except for colons and commas in options
 * @throws {@link ConnectionStringError} with one of these codes. The message never contains any part of
 * the string, the user name or the password.
 * - `not-a-connection-string`, `invalid-host`, `invalid-srv`: the text is not a connection string.
 * - `has-credentials`: the string already contains credentials.
 * - `invalid-credentials`: the user name, password or database is empty, a text is not well-formed Unicode, an option is
 *   not text, a number, a boolean or a list of these, or an argument does not exist.
 * - `option-conflict`: the database or an option already exists with another value, or an option is passed twice with
 *   different values. The message contains the name of the option as it was passed.
 * - `text-after-options`: text follows the options, such as the name of a database.
 * @example
 * withCredentials("db+srv://orders.ab1cd.db.example", { username: "app", password: "p@ss" });
 * // "db+srv://app:p%40ss@orders.ab1cd.db.example"
 */
export function withCredentials(
  connectionString: string,
  credentials: DatabaseCredentials,
): string {
  for (const name of Object.keys(credentials)) requireArgument(name);
  // Any @ may end an unencoded password, and part of a password must never be treated as a host.
  if (typeof connectionString === "string" && connectionString.includes("@")) {
    throw new ConnectionStringError(
      codes.hasCredentials,
      "the connection string already contains credentials, or an @ that is not percent-encoded. Pass the string without them",
    );
  }
  const parsed = parse(connectionString);
  const existing = optionsIn(parsed.options);
  requireNoPathAfter(existing);
  const requested = requestedOptions(credentials.options ?? {});
  const present = new Map<string, string[]>(existing.map(({ key }) => [key, []]));
  for (const { key, value } of existing) present.get(key)?.push(value);
  const added = requested.flatMap((option) => addedText(option, present.get(option.key)));
  const mechanism = [...requested, ...existing].find(({ key }) => key === "authmechanism");
  const { database, options } = withDatabase(parsed, credentials.database ?? undefined);
  return format({
    ...parsed,
    userInfo: userInfoOf(credentials, mechanism?.value.toUpperCase()),
    // Drivers require a slash before the options even if there is no database.
    database: database ?? (added.length > 0 && options === undefined ? "" : undefined),
    options: added.length === 0 ? options : [...(options ? [options] : []), ...added].join("&"),
  });
}

/** A misspelled argument begins like the one that is meant, because all begin with different letters. */
const argumentNames = ["username", "password", "database", "options"] as const;

function requireArgument(name: string): void {
  if (argumentNames.some((known) => known === name)) return;
  const [option] = optionsIn(name);
  const meant = argumentNames.find((known) => known[0] === name[0]?.toLowerCase());
  const expected =
    meant === undefined ? `expected ${argumentNames.join(", ")}` : `did you mean ${meant}?`;
  const advice = option?.knownName === undefined ? expected : "pass it in options";
  throw invalid(`there is no argument "${name}"; ${advice}`);
}

/** Rejects a path after the options, as in `replicaSet=rs-0/shop`. A driver would use it as a part of the value. */
function requireNoPathAfter(existing: readonly StringOption[]): void {
  if (existing.every(({ isValid, text }) => isValid || !text.includes("/"))) return;
  throw new ConnectionStringError(
    codes.textAfterOptions,
    "text that begins with a slash follows the options of the connection string. Remove it. To name a database, pass the argument database",
  );
}

/** Mechanisms that identify a user by a certificate, a role, a token or a ticket. */
const withoutPassword = ["MONGODB-X509", "MONGODB-AWS", "MONGODB-OIDC", "GSSAPI"];

function userInfoOf(
  { username, password }: DatabaseCredentials,
  mechanism: string = "",
): string | undefined {
  const needsPassword = !withoutPassword.includes(mechanism);
  const needsName = needsPassword || mechanism === "GSSAPI";
  // Programs in JavaScript can pass null.
  const isGiven = (text: string | null | undefined) => text !== undefined && text !== null;
  if (!isGiven(username) && !isGiven(password) && !needsName) return undefined;
  const name = encodeText(username, "username");
  if (!isGiven(password) && !needsPassword) return name;
  return `${name}:${encodeText(password, "password")}`;
}

/** Returns the parts with the database as their path. */
function withDatabase(
  parts: ConnectionStringParts,
  database: string | undefined,
): ConnectionStringParts {
  if (database === undefined) return parts;
  const encoded = encodeText(database, "database");
  if (encoded === "." || encoded === "..")
    throw invalid("the database is . or .., which drivers drop. Pass the name of a database");
  if (!parts.database) return { ...parts, database: encoded };
  if (percentDecode(parts.database) === database) return parts;
  throw conflict(
    "the connection string already has another database. Omit database, or pass the same name",
  );
}

function encodeText(
  text: string | undefined,
  property: "username" | "password" | "database",
): string {
  if (typeof text === "string" && text !== "") return percentEncodeNamed(text, `the ${property}`);
  const remedies = {
    username: "Pass the name of a database user, or the option authMechanism if the user has none",
    password:
      "Pass the password of the database user, or the option authMechanism if the user has none",
    database: "Pass the name of a database, or omit it",
  };
  throw invalid(`the ${property} is missing or empty. ${remedies[property]}`);
}

/** The error from encodeURIComponent would not say which text is malformed. */
function percentEncodeNamed(text: string, name: string): string {
  try {
    return percentEncode(text);
  } catch {
    throw invalid(`${name} contains an invalid character (a lone surrogate). Remove the character`);
  }
}

/** An option to add. */
interface RequestedOption {
  readonly key: string;
  readonly name: string;
  readonly values: readonly string[];
  /** The first value. */
  readonly value: string;
}

/** Reads the options to add, each once. */
function requestedOptions(options: CredentialOptions): RequestedOption[] {
  if (typeof options !== "object" || Array.isArray(options))
    throw invalidOptions("the options are not an object");
  const byKey = new Map<string, RequestedOption>();
  for (const [name, requested] of Object.entries(options)) {
    if (requested === undefined || requested === null) continue;
    const values = [requested].flat().map((value) => {
      if (["string", "number", "boolean"].includes(typeof value)) return String(value);
      throw invalidOptions(
        `the option ${labelOf(name)} is not text, a number, a boolean or a list of these`,
      );
    });
    const [value] = values;
    if (value === undefined) continue;
    const key = optionKey(name);
    const duplicate = byKey.get(key);
    if (duplicate !== undefined && !isDeepStrictEqual(duplicate.values, values)) {
      throw conflict(
        `the option ${labelOf(name)} is passed twice with different values. Pass it once`,
      );
    }
    byKey.set(key, duplicate ?? { key, name, values, value });
  }
  return [...byKey.values()];
}

/** Returns an option as percent-encoded text, once for each value; none if it already exists with the same values. */
function addedText(
  { name, values, value }: RequestedOption,
  present: readonly string[] = [],
): string[] {
  const isSame =
    values.length > 1
      ? isDeepStrictEqual(present, values)
      : present.every((existing) => existing === value);
  if (present.length > 0 && isSame) return [];
  if (present.length > 0) {
    throw conflict(
      `the connection string already has the option ${labelOf(name)} with another value. Omit it, or pass the same value`,
    );
  }
  return values.map((value) => {
    const text = [name, value].map((part) => percentEncodeNamed(part, "an option")).join("=");
    // Some drivers split lists of pairs before they decode them.
    return text.replace(/%3A|%2C/g, decodeURIComponent);
  });
}

function labelOf(name: string): string {
  return optionKey(name) === "tls" ? "tls (alias: ssl)" : name;
}

function invalid(problem: string): ConnectionStringError {
  return new ConnectionStringError(codes.invalidCredentials, problem);
}

function invalidOptions(problem: string): ConnectionStringError {
  return invalid(`${problem}. Pass options such as { retryWrites: true }`);
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
