/**
 * The module `clouddb-connection-strings/credentials` adds the credentials of a database user to a connection string,
 * encoded according to RFC 3986. It is for callers that need nothing else from the package.
 */
import {
  type CredentialOptions,
  addedOptions,
  joinOptions,
  mechanismOf,
  requireNoConflict,
  requireOptions,
  requireWellFormed,
} from "./addedOptions";
import { ConnectionStringError, invalidCredentials, optionConflict } from "./errors";
import { optionsIn, percentDecode, percentEncode } from "./options";
import {
  type ParsedConnectionString,
  format,
  joinText,
  parse,
  parseOrProblem,
  withoutSpaceBetweenHosts,
} from "./parsing";
import { mechanismsWithoutName, mechanismsWithoutPassword } from "./rules/combinations";
import { type Finding, sentencesOf } from "./rules/drivers";
import { findingsIn } from "./rules/findings";
import { knownName } from "./rules/optionValues";

export {
  ConnectionStringError,
  type ConnectionStringErrorCode,
  connectionStringErrorCodes,
} from "./errors";

export { percentEncode } from "./options";
export type { CredentialOptions, OptionValue } from "./addedOptions";

/** The credentials of a database user, a database, and options to add. */
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
 * - Options get a slash before them, because the Go driver requires it, and hosts no white space between them.
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
 * - `invalid-credentials`: the user name, password or database is empty, a text is not well-formed Unicode, an option is
 *   not text, a finite number, a boolean or a list of these, an option is a user name or a password, or an argument does
 *   not exist.
 * - `option-conflict`: the database or an option already exists with another value, or an option is passed twice with
 *   different values. The message contains the name of the option.
 * - any other one of `diagnose`: drivers refuse the result, or nobody means it. What only some drivers refuse, and a
 *   user name or password that is a placeholder, is accepted; `diagnose` finds it in the result.
 * @example
 * withCredentials("mongodb+srv://orders.ab1cd.db.example", { username: "app", password: "p@ss" });
 * // "mongodb+srv://app:p%40ss@orders.ab1cd.db.example"
 */
export function withCredentials(
  connectionString: string,
  credentials: DatabaseCredentials,
): string {
  return addCredentials(connectionString, credentials).url;
}

/** A connection string with credentials, and what is wrong with it that `withCredentials` does not refuse. */
export interface UrlWithWarnings {
  /** The string that `withCredentials` returns. */
  readonly url: string;
  /** What `diagnose` finds in it. */
  readonly warnings: readonly Finding[];
}

/**
 * Like `withCredentials`, but also returns what only some drivers refuse, and what nobody means as a user name or a
 * password.
 *
 * @param connectionString a string without credentials
 * @param credentials the database user's credentials, a database and options to add
 * @returns the connection string with them, and the warnings
 * @throws {@link ConnectionStringError} as `withCredentials` does
 */
export function addCredentials(
  connectionString: string,
  credentials: DatabaseCredentials,
): UrlWithWarnings {
  requireArguments(credentials);
  requireNoCredentials(connectionString);
  const parsed = parse(withoutSpaceBetweenHosts(connectionString));
  const { database } = credentials;
  const options = credentials.options ?? {};
  requireOptions(options);
  const added = addedOptions(options);
  requireUser(credentials, mechanismOf(optionsIn(parsed.options), added));
  requireDatabase(database ?? undefined, parsed.database);
  const parts = joinParts(parsed, credentials);
  requireNoConflict(added, parts.options);
  const findings = findingsIn(parts);
  const refusals = findings.filter(isRefusal);
  const [first] = refusals;
  if (first === undefined) return { url: format(parts), warnings: findings };
  const all = refusals.map(sentencesOf).join(" ");
  // It continues the sentence of the caller.
  const message = `${first.problem}${all.slice(first.problem.length, -1)}`;
  throw new ConnectionStringError(first.code, message);
}

/**
 * Formats a connection string with credentials as `withCredentials` does, but judges neither of them. For showing a URL,
 * for example with `***` as the password, not for connecting.
 *
 * @param connectionString a string without credentials
 * @param credentials what to add
 * @returns the URL; undefined if the text is not a connection string
 */
export function formatWithCredentials(
  connectionString: string,
  credentials: DatabaseCredentials,
): string | undefined {
  const parsed = parseOrProblem(withoutSpaceBetweenHosts(connectionString));
  return parsed.kind === "problem" ? undefined : joinText(joinParts(parsed.parts, credentials));
}

/** Adds credentials to the parts of a string, whatever they are. */
function joinParts(
  parsed: ParsedConnectionString,
  { username, password, database, options: added }: DatabaseCredentials,
): ParsedConnectionString {
  const options = joinOptions(parsed.options, addedOptions(added));
  const path = database ? percentEncode(database) : parsed.database;
  return {
    ...parsed,
    // Drivers refuse a scheme in capitals.
    scheme: parsed.scheme.toLowerCase(),
    userInfo: userInfoOf(username, password),
    // The Go driver requires a slash before the options even if there is no database.
    database: path ?? (options === undefined ? undefined : ""),
    options,
  };
}

function userInfoOf(username: string | undefined, password: string | undefined) {
  // Programs in JavaScript can pass null.
  if (!username) return undefined;
  return [username, ...(password ? [password] : [])].map(percentEncode).join(":");
}

/** Returns whether `withCredentials` refuses a string with a finding. Any text can be a user name or a password. */
function isRefusal({ degree, subject }: Finding): boolean {
  const isCredential = subject === "username" || subject === "password";
  return degree === "refused" || (degree === "mistake" && !isCredential);
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
    const meant = argumentNames.find((argument) => argument[0] === name[0]?.toLowerCase());
    const expected =
      meant === undefined ? `expected ${argumentNames.join(", ")}` : `did you mean ${meant}?`;
    const advice = knownName(name) === undefined ? expected : "pass it in options";
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
    "has-credentials",
    "the connection string already contains credentials, or an @ that is not percent-encoded. Pass the string without them",
  );
}

/** Rejects a user name and a password that the mechanism needs and that are missing, or are not text. */
function requireUser({ username, password }: DatabaseCredentials, mechanism: string): void {
  // Programs in JavaScript can pass null.
  const isGiven = (text: string | null | undefined) => text !== undefined && text !== null;
  const needsName =
    isGiven(username) || isGiven(password) || !mechanismsWithoutName.includes(mechanism);
  if (needsName) requireText(username, "username");
  const needsPassword = isGiven(password) || !mechanismsWithoutPassword.includes(mechanism);
  if (needsPassword) requireText(password, "password");
}

/** Rejects a database that is not text, or another one than in the string. */
function requireDatabase(database: string | undefined, existing = ""): void {
  if (database === undefined) return;
  requireText(database, "database");
  if (existing !== "" && percentDecode(existing) !== database)
    throw optionConflict(
      "the connection string already has another database. Omit database, or pass the same name",
    );
}

function requireText(text: unknown, property: "username" | "password" | "database"): void {
  if (typeof text === "string" && text !== "") {
    requireWellFormed(text, `the ${property}`);
    return;
  }
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
