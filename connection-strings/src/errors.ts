/** The error that the functions for connection strings throw. */

/**
 * Thrown by `parse`, `format` and `withCredentials`. The message is safe to log, because it never contains a connection
 * string or any part of credentials.
 *
 * @example
 * try {
 *   parse(text);
 * } catch (error) {
 *   if (error instanceof ConnectionStringError) console.error(error.code, error.message);
 * }
 */
export class ConnectionStringError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "ConnectionStringError";
  /** The machine-readable code: one of {@link connectionStringErrorCodes}. */
  readonly code: ConnectionStringErrorCode;

  /**
   * Creates an error.
   *
   * @param code the machine-readable code
   * @param message the human-readable message
   */
  constructor(code: ConnectionStringErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The codes of {@link ConnectionStringError}, and of what `diagnose` finds.
 *
 * @example
 * if (error.code === connectionStringErrorCodes.hasCredentials) return connectionString;
 */
export const connectionStringErrorCodes = {
  /** The text does not have the form `<scheme>://<host>...`. */
  notAConnectionString: "not-a-connection-string",
  /** A host is not a host name or address, is longer than a name in DNS, or its port is not 1 to 65535. */
  invalidHost: "invalid-host",
  /** The SRV form has several hosts, a port, or an address instead of a name. */
  invalidSrv: "invalid-srv",
  /** A part passed to `format` would not parse back to the same value. */
  invalidPart: "invalid-part",
  /** The connection string contains credentials, or an `@` that could end them. */
  hasCredentials: "has-credentials",
  /**
   * The user name, the password or the database is missing, empty or not text, a value cannot be percent-encoded, a user
   * name or password ends with a line break or contains NUL, an option is a user name or a password, or an argument does
   * not exist.
   */
  invalidCredentials: "invalid-credentials",
  /** The server refuses the name of the database, or drivers do. */
  invalidDatabase: "invalid-database",
  /** Drivers refuse the value of an option, nobody means it, or it is missing. */
  optionValue: "option-value",
  /** No driver knows the option, but its name resembles one. */
  unknownOption: "unknown-option",
  /** The string contains an option twice. */
  repeatedOption: "repeated-option",
  /**
   * The database or an option already exists with another value, an option is passed twice with different values, or
   * drivers refuse an option together with the authentication mechanism, with another option or with the form.
   */
  optionConflict: "option-conflict",
  /** Text that begins with a slash follows the options, such as the name of a database. */
  textAfterOptions: "text-after-options",
  /** There is no slash before the options. */
  missingSlash: "missing-slash",
  /** A list of hosts has a database and a user, and no `authSource`. */
  missingSource: "missing-source",
  /** A placeholder, such as `<password>`, `undefined` or `$PASSWORD`, was not replaced. */
  placeholder: "placeholder",
  /** White space around the text or between hosts. */
  whiteSpace: "white-space",
  /** A quote around, before or after the text, which belongs to a shell or to a file. */
  quotes: "quotes",
  /** Other text stands before or after the string, such as a command, or the name of a variable. */
  otherText: "other-text",
  /** The text does not begin with `<scheme>://`. */
  noScheme: "no-scheme",
  /** The scheme has capital letters, which drivers refuse, although `parse` accepts them. */
  schemeCase: "scheme-case",
  /** No driver accepts the scheme, which is misspelled, or has a `+` that does not begin `+srv`. */
  unknownScheme: "unknown-scheme",
  /** The text has no host. */
  noHost: "no-host",
  /** A character of the user name or password must be percent-encoded. `%` stands for one without a valid code. */
  unencodedCharacter: "unencoded-character",
} as const;

/** One of {@link connectionStringErrorCodes}. */
export type ConnectionStringErrorCode =
  (typeof connectionStringErrorCodes)[keyof typeof connectionStringErrorCodes];

export function invalidCredentials(problem: string): ConnectionStringError {
  return new ConnectionStringError("invalid-credentials", problem);
}

export function optionConflict(problem: string): ConnectionStringError {
  return new ConnectionStringError("option-conflict", problem);
}
