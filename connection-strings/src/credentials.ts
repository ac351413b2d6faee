/**
 * The module `clouddb-connection-strings/credentials`: adds the credentials of a database user to a
 * connection string, encoded according to RFC 3986. For callers that need nothing else from the package.
 */
import { type Options, addedOptions } from "./addedOptions";
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import { format, parse } from "./parsing";
import { percentEncode } from "./percentEncoding";

export type { Options as CredentialOptions } from "./addedOptions";
export {
  ConnectionStringError,
  type ConnectionStringErrorCode,
  connectionStringErrorCodes,
} from "./errors";
export { percentEncode } from "./percentEncoding";

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
  readonly options?: Options | null | undefined;
}

/**
 * Adds credentials and options to a connection string. Scheme, hosts, ports, database and existing
 * options stay exactly as they are. An option that already exists with the same value is not added.
 *
 * The service's API returns strings without credentials: its own credentials do not give access to data
 * (service document section 1 rule 2).
 *
 * @param connectionString a string without credentials
 * @param credentials the database user's credentials, and options to add
 * @returns the connection string with both, percent-encoded
 * @throws {@link ConnectionStringError} with one of these codes. The message never contains any part of
 * the string, the user name or the password.
 * - `not-a-connection-string`, `invalid-host`, `invalid-srv`: the text is not a connection string.
 * - `has-credentials`: the string already contains credentials.
 * - `invalid-credentials`: the user name or password is empty, or a text is not well-formed Unicode.
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
  // Any @ may end a password that was not encoded: never treat part of a password as a host.
  if (typeof connectionString === "string" && connectionString.includes("@")) {
    throw new ConnectionStringError(
      codes.hasCredentials,
      "the connection string already contains credentials, or an @ that is not percent-encoded: pass the string without them",
    );
  }
  const parsed = parse(connectionString);
  const userInfo = `${encoded(username, "username")}:${encoded(password, "password")}`;
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

function encoded(text: string, property: "username" | "password"): string {
  if (typeof text !== "string" || text === "") {
    throw new ConnectionStringError(codes.invalidCredentials, `the ${property} is empty`);
  }
  try {
    return percentEncode(text);
  } catch {
    // The error of encodeURIComponent does not say which text is malformed.
    throw new ConnectionStringError(
      codes.invalidCredentials,
      `the ${property} is not well-formed Unicode text (it contains a lone surrogate)`,
    );
  }
}
