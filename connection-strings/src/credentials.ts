/**
 * The module `clouddb-connection-strings/credentials` adds the credentials of a database user to a connection string,
 * encoded according to RFC 3986. It is for callers that need nothing else from the package.
 */
import {
  ConnectionStringError,
  connectionStringErrorCodes as codes,
  invalidCredentials,
  optionConflict,
} from "./errors";
import {
  type OptionSet,
  mechanismsWithoutName,
  mechanismsWithoutPassword,
  withSourceOf,
} from "./mechanisms";
import { refusalOf } from "./optionRules";
import { type StringOption, optionsIn, percentDecode } from "./options";
import { format, parse } from "./parsing";
import {
  type CredentialOptions,
  addedText,
  percentEncodeNamed,
  requestedOptions,
} from "./requestedOptions";

export {
  ConnectionStringError,
  type ConnectionStringErrorCode,
  connectionStringErrorCodes,
} from "./errors";

export { percentEncode } from "./options";
export type { CredentialOptions, OptionValue } from "./requestedOptions";

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
 * Adds credentials, a database and options to a connection string. Leaves the hosts, ports and existing options
 * unchanged, with these exceptions. An option that already exists with the same value is not added.
 *
 * - The scheme is written in lower case, because drivers refuse any other.
 * - With the option `authMechanism` `MONGODB-X509`, `MONGODB-AWS`, `MONGODB-OIDC` or `GSSAPI`, an `authSource` in the
 *   string becomes `$external`, because drivers refuse any other. It is not added if there is none.
 * - With `PLAIN`, the string gets `authSource=$external`, unless you pass another `authSource`. Either replaces the one
 *   in the string.
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
 * - `invalid-credentials`: the user name, password or database is empty, the database begins with a slash, a text is
 *   not well-formed Unicode, an option is not text, a finite number, a boolean or a list of these, an option is a user
 *   name or a password, or an argument does not exist.
 * - `option-conflict`: the database or an option already exists with another value, an option is passed twice with
 *   different values, the mechanism has only the source `$external` and another one is passed, or drivers refuse an
 *   option with another one or with the form of the string. The message contains the name of the option.
 * - `text-after-options`: text follows the options, such as the name of a database.
 * @example
 * withCredentials("db+srv://orders.ab1cd.db.example", { username: "app", password: "p@ss" });
 * // "db+srv://app:p%40ss@orders.ab1cd.db.example"
 */
export function withCredentials(
  connectionString: string,
  credentials: DatabaseCredentials,
): string {
  requireArguments(credentials);
  requireNoCredentials(connectionString);
  const parsed = parse(connectionString);
  const existing = optionsIn(parsed.options);
  requireNoPathAfter(existing);
  const requested = requestedOptions(credentials.options ?? {});
  const mechanism = mechanismIn([...requested, ...existing]);
  const options = withAddedOptions(
    withSourceOf(mechanism, { inString: parsed.options, requested }),
  );
  const refusal = refusalOf({
    form: parsed.form,
    hostCount: parsed.hosts.length,
    options: new Map(optionsIn(options).map(({ key, value }) => [key, value])),
  });
  if (refusal !== undefined) throw optionConflict(refusal);
  const database = withDatabase(parsed.database, credentials.database ?? undefined);
  const needsSlash = options !== undefined && parsed.options === undefined;
  return format({
    ...parsed,
    // Drivers refuse a scheme in capitals.
    scheme: parsed.scheme.toLowerCase(),
    userInfo: userInfoOf(credentials, mechanism),
    // Drivers require a slash before the options even if there is no database.
    database: database ?? (needsSlash ? "" : undefined),
    options,
  });
}

/** The names of the arguments. Each begins with another letter, which shows what a misspelled name means. */
const argumentNames = ["username", "password", "database", "options"] as const;

/** Rejects arguments that do not exist. Programs in JavaScript can omit the credentials, or pass null. */
function requireArguments(credentials: DatabaseCredentials | null | undefined): void {
  if (typeof credentials !== "object" || credentials === null) {
    throw invalidCredentials(
      'the credentials are missing. Pass an object such as { username: "app", password }',
    );
  }
  for (const name of Object.keys(credentials)) {
    if (argumentNames.some((argument) => argument === name)) continue;
    const [option] = optionsIn(name);
    const meant = argumentNames.find((argument) => argument[0] === name[0]?.toLowerCase());
    const expected =
      meant === undefined ? `expected ${argumentNames.join(", ")}` : `did you mean ${meant}?`;
    const advice = option?.knownName === undefined ? expected : "pass it in options";
    throw invalidCredentials(`there is no argument "${name}"; ${advice}`);
  }
}

/**
 * Throws for a string that contains an `@`, because that may end an unencoded password, no part of which may ever count
 * as a host.
 */
function requireNoCredentials(connectionString: string): void {
  if (typeof connectionString !== "string" || !connectionString.includes("@")) return;
  throw new ConnectionStringError(
    codes.hasCredentials,
    "the connection string already contains credentials, or an @ that is not percent-encoded. Pass the string without them",
  );
}

/** Rejects a path after the options, as in `replicaSet=rs-0/shop`. A driver would use it as a part of the value. */
function requireNoPathAfter(existing: readonly StringOption[]): void {
  if (existing.every(({ isValid, text }) => isValid || !text.includes("/"))) return;
  throw new ConnectionStringError(
    codes.textAfterOptions,
    "text that begins with a slash follows the options of the connection string. Remove it. To name a database, pass the argument database",
  );
}

/** Returns the authentication mechanism as drivers write it; empty if there is none. */
function mechanismIn(options: readonly Pick<StringOption, "key" | "value">[]): string {
  return options.find(({ key }) => key === "authmechanism")?.value.toUpperCase() ?? "";
}

/** Returns the options in a string and those to add to it, as they stand in the new string. */
function withAddedOptions({ inString, requested }: OptionSet): string | undefined {
  const existing = optionsIn(inString);
  const present = new Map<string, string[]>(existing.map(({ key }) => [key, []]));
  for (const { key, value } of existing) present.get(key)?.push(value);
  const added = requested.flatMap((option) => addedText(option, present.get(option.key)));
  return added.length === 0 ? inString : [...(inString ? [inString] : []), ...added].join("&");
}

function userInfoOf(
  { username, password }: DatabaseCredentials,
  mechanism: string,
): string | undefined {
  const needsName = !mechanismsWithoutName.includes(mechanism);
  const needsPassword = !mechanismsWithoutPassword.includes(mechanism);
  // Programs in JavaScript can pass null.
  const isGiven = (text: string | null | undefined) => text !== undefined && text !== null;
  if (!isGiven(username) && !isGiven(password) && !needsName) return undefined;
  const name = encodeText(username, "username");
  if (!isGiven(password) && !needsPassword) return name;
  return `${name}:${encodeText(password, "password")}`;
}

/** Returns the path with the database of the application. */
function withDatabase(
  existing: string | undefined,
  database: string | undefined,
): string | undefined {
  if (database === undefined) return existing;
  const encoded = encodeText(database, "database");
  if (encoded === "." || encoded === "..") {
    throw invalidCredentials(
      "the database is . or .., which drivers drop. Pass the name of a database",
    );
  }
  if (database.startsWith("/")) {
    throw invalidCredentials("the database begins with a slash. Pass only its name");
  }
  if (!existing) return encoded;
  if (percentDecode(existing) === database) return existing;
  throw optionConflict(
    "the connection string already has another database. Omit database, or pass the same name",
  );
}

function encodeText(text: unknown, property: "username" | "password" | "database"): string {
  if (typeof text === "string" && text !== "") return percentEncodeNamed(text, `the ${property}`);
  const isMissing = text === undefined || text === null || text === "";
  const problem = isMissing ? "missing or empty" : "not text";
  throw invalidCredentials(`the ${property} is ${problem}. ${remedies[property]}`);
}

const remedies = {
  username: `Pass the name of a database user. Only the authMechanism ${anyOf(mechanismsWithoutName)} needs none`,
  password: `Pass the password of the database user. Only the authMechanism ${anyOf(mechanismsWithoutPassword)} needs none`,
  database: "Pass the name of a database, or omit it",
};

function anyOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
