/** The error that the functions for connection strings throw. */

/** The codes of {@link ConnectionStringError}. */
export const connectionStringErrorCodes = {
  /** The text is not of the form `<scheme>://<host>...`. */
  notAConnectionString: "not-a-connection-string",
  /** A host is no host name or address, or its port is not 1 to 65535. */
  invalidHost: "invalid-host",
  /** The SRV form has several hosts or a port (service document 2.6). */
  invalidSrv: "invalid-srv",
  /** A part to be formatted would be parsed as something else. */
  invalidPart: "invalid-part",
  /** The connection string holds credentials, or an `@` that could end some. */
  hasCredentials: "has-credentials",
  /** The user name or password is empty, or cannot be encoded. */
  invalidCredentials: "invalid-credentials",
  /** The connection string has an option already, with another value, or two values are given for one. */
  optionConflict: "option-conflict",
  /** The connection string is not a legacy one (service document 2.6 rule 1). */
  notLegacy: "not-legacy",
  /** A fact about a cluster is invalid, for example its version or creation date. */
  invalidFacts: "invalid-facts",
} as const;

/** One of {@link connectionStringErrorCodes}. */
export type ConnectionStringErrorCode =
  (typeof connectionStringErrorCodes)[keyof typeof connectionStringErrorCodes];

/** Its message is safe to log: it never repeats a connection string or any part of credentials. */
export class ConnectionStringError extends Error {
  override readonly name = "ConnectionStringError";
  readonly code: ConnectionStringErrorCode;

  constructor(code: ConnectionStringErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
