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
 * The codes of {@link ConnectionStringError}.
 *
 * @example
 * if (error.code === connectionStringErrorCodes.hasCredentials) return connectionString;
 */
export const connectionStringErrorCodes = {
  /** The text does not have the form `<scheme>://<host>...` (service document 2.6). */
  notAConnectionString: "not-a-connection-string",
  /** A host is not a host name or address, is longer than a name in DNS, or its port is not 1 to 65535. */
  invalidHost: "invalid-host",
  /** The SRV form has several hosts, a port, or an address instead of a name (service document 2.6). */
  invalidSrv: "invalid-srv",
  /** A part passed to `format` would not parse back to the same value. */
  invalidPart: "invalid-part",
  /** The connection string contains credentials, or an `@` that could end them. */
  hasCredentials: "has-credentials",
  /**
   * A user name, password or database is empty, the database is `.` or `..` or begins with a slash, a value cannot be
   * percent-encoded, an option is a user name or a password, or an argument does not exist.
   */
  invalidCredentials: "invalid-credentials",
  /**
   * The database or an option already exists with another value, an option is passed twice with different values, or
   * drivers refuse an option together with the authentication mechanism, with another option or with the form.
   */
  optionConflict: "option-conflict",
  /** Text that begins with a slash follows the options, such as the name of a database. */
  textAfterOptions: "text-after-options",
} as const;

/** One of {@link connectionStringErrorCodes}. */
export type ConnectionStringErrorCode =
  (typeof connectionStringErrorCodes)[keyof typeof connectionStringErrorCodes];

export function invalidCredentials(problem: string): ConnectionStringError {
  return new ConnectionStringError(connectionStringErrorCodes.invalidCredentials, problem);
}

export function optionConflict(problem: string): ConnectionStringError {
  return new ConnectionStringError(connectionStringErrorCodes.optionConflict, problem);
}
