/**
 * The module `clouddb-connection-strings/credentials` adds the credentials of a database user to a connection string,
 * encoded according to RFC 3986. It is for callers that need nothing else from the package.
 */
import {
  type DatabaseCredentials,
  requireArguments,
  requireDatabase,
  requireNoConflict,
  requireNoCredentials,
  requireUser,
} from "./arguments";
import { ConnectionStringError } from "./errors";
import { addedOptions, joinOptions, mechanismOf, percentEncode } from "./options";
import {
  type ParsedConnectionString,
  format,
  joinText,
  parse,
  parseOrProblem,
  withoutSpace,
} from "./parsing";
import { type Finding, sentencesOf } from "./rules/drivers";
import { findingsIn } from "./rules/findings";

export {
  ConnectionStringError,
  type ConnectionStringErrorCode,
  connectionStringErrorCodes,
} from "./errors";

export type { DatabaseCredentials } from "./arguments";
export { type CredentialOptions, type OptionValue, percentEncode } from "./options";

/**
 * Adds credentials, a database and options to a connection string. Leaves everything in it unchanged, except for the case
 * of the scheme, a missing slash, white space and the `authSource` of a user who is not in a database, [as the
 * README explains](https://github.com/pulumi-clouddb/pulumi-clouddb/tree/main/connection-strings#what-withcredentials-replaces).
 * An option that already exists with the same value is not added.
 *
 * The service's API returns strings without credentials, because API credentials do not give access to data (service
 * document section 1 rule 2).
 *
 * @param connectionString a string without credentials
 * @param credentials the database user's credentials, a database and options to add
 * @returns the connection string with them, percent-encoded except for colons and commas in options
 * @throws {@link ConnectionStringError} if the text is not a connection string or already has credentials, if an argument
 * is missing, invalid or in conflict with the string, or if drivers refuse the result or nobody means it. The message
 * contains no part of the string, the user name or the password. What only some drivers refuse, and a user name or
 * password that is a placeholder, is accepted; `diagnose` finds it in the result.
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
  const parsed = parse(withoutSpace(connectionString));
  const added = addedOptions(credentials.options);
  requireUser(credentials, mechanismOf(parsed.options, added));
  requireDatabase(credentials, parsed.database);
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
  const parsed = parseOrProblem(withoutSpace(connectionString));
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
