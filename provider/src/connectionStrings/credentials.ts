/** Puts the credentials of a database user into a connection string, encoded by RFC 3986. */
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import { format, parse } from "./parsing";

export interface DatabaseCredentials {
  readonly username: string;
  readonly password: string;
  /** Added behind the options that are there, for example `{ retryWrites: true }`. */
  readonly options?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
}

/**
 * The connection string with credentials, and the options given besides. Scheme, hosts, port,
 * database and options that are there stay to the letter.
 *
 * Throws {@link ConnectionStringError}, whose message repeats nothing of the string or the
 * credentials, where it is no connection string, holds credentials already, has one of the options
 * with another value, or where user name or password are empty.
 */
export function withCredentials(
  connectionString: string,
  { username, password, options = {} }: DatabaseCredentials,
): string {
  // An @ anywhere may end a password that was not encoded: no part of it must pass for a host.
  if (typeof connectionString === "string" && connectionString.includes("@")) {
    throw new ConnectionStringError(
      codes.hasCredentials,
      "the connection string already holds credentials, or an @ that is not percent-encoded: give the string without them",
    );
  }
  const parsed = parse(connectionString);
  const userInfo = `${encoded(username, "username")}:${encoded(password, "password")}`;
  const added = newOptions(parsed.options ?? "", options);
  if (added.length === 0) return format({ ...parsed, userInfo });
  return format({
    ...parsed,
    userInfo,
    // Drivers want a slash before the options, also where no database is named.
    database: parsed.database ?? (parsed.options === undefined ? "" : undefined),
    options: [...(parsed.options ? [parsed.options] : []), ...added].join("&"),
  });
}

/** Percent-encoding of all but the unreserved characters (RFC 3986 2.3). */
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
    // encodeURIComponent's own error says no more, and not of what.
    throw new ConnectionStringError(
      codes.invalidCredentials,
      `the ${what} is not well-formed Unicode text (it has half of a surrogate pair)`,
    );
  }
}

function newOptions(
  present: string,
  options: NonNullable<DatabaseCredentials["options"]>,
): string[] {
  const known = new Map(present.split("&").map((option) => split(option)));
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const given = optionText(name, String(value));
    const [key, wanted] = split(given);
    const there = known.get(key);
    if (there === undefined) return [given];
    if (there === wanted) return [];
    throw new ConnectionStringError(
      codes.optionConflict,
      `the connection string has the option ${name} already, with another value`,
    );
  });
}

function optionText(name: string, value: string): string {
  try {
    return `${percentEncode(name)}=${percentEncode(value)}`;
  } catch {
    throw new ConnectionStringError(
      codes.invalidCredentials,
      "an option is not well-formed Unicode text (it has half of a surrogate pair)",
    );
  }
}

/** Names of options count in any case. */
function split(option: string): [name: string, value: string] {
  const [name = "", ...value] = option.split("=");
  return [name.toLowerCase(), value.join("=")];
}
