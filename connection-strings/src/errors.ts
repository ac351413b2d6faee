/** The error that the functions for connection strings throw. */

/** The codes of {@link ConnectionStringError}. */
export const connectionStringErrorCodes = {
  /** The text is not of the form `<scheme>://<host>...`. */
  notAConnectionString: "not-a-connection-string",
  /** A host is not a host name or address, or its port is not 1 to 65535. */
  invalidHost: "invalid-host",
  /** The SRV form has several hosts or a port (service document 2.6). */
  invalidSrv: "invalid-srv",
  /** A part to format would not parse back to the same value. */
  invalidPart: "invalid-part",
  /** The connection string contains credentials, or an `@` that could be the end of some. */
  hasCredentials: "has-credentials",
  /** The user name or password is empty, or cannot be encoded. */
  invalidCredentials: "invalid-credentials",
  /** An option already exists with another value, or is given twice with different values. */
  optionConflict: "option-conflict",
  /** The connection string is not a legacy one (service document 2.6 rule 1). */
  notLegacy: "not-legacy",
  /** A fact about a cluster is invalid, for example its version or creation date. */
  invalidFacts: "invalid-facts",
} as const;

/** One of {@link connectionStringErrorCodes}. */
export type ConnectionStringErrorCode =
  (typeof connectionStringErrorCodes)[keyof typeof connectionStringErrorCodes];

/** The message is safe to log: it never contains a connection string or any part of credentials. */
export class ConnectionStringError extends Error {
  override readonly name = "ConnectionStringError";
  readonly code: ConnectionStringErrorCode;

  constructor(code: ConnectionStringErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
