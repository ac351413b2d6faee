/** The one error that the functions of this room throw. */

export const connectionStringErrorCodes = {
  /** The text is not of the form `<scheme>://<host>...`. */
  notAConnectionString: "not-a-connection-string",
  /** A host is no host name or address, or its port is none. */
  invalidHost: "invalid-host",
  /** The SRV form has several hosts or a port (service document 2.6). */
  invalidSrv: "invalid-srv",
  /** A part that is to be formatted would be read back as something else. */
  invalidPart: "invalid-part",
  /** The connection string holds credentials, or an `@` that could end some. */
  hasCredentials: "has-credentials",
  /** The user name or password is empty, or cannot be encoded. */
  invalidCredentials: "invalid-credentials",
  /** An option is in the connection string already, with another value. */
  optionConflict: "option-conflict",
  /** The connection string is not a legacy one (service document 2.6 rule 1). */
  notLegacy: "not-legacy",
  /** The facts about a cluster are not such as the question needs, for example its version. */
  invalidFacts: "invalid-facts",
} as const;

export type ConnectionStringErrorCode =
  (typeof connectionStringErrorCodes)[keyof typeof connectionStringErrorCodes];

/** The message never repeats a connection string or any part of credentials: it may be logged. */
export class ConnectionStringError extends Error {
  override readonly name = "ConnectionStringError";
  readonly code: ConnectionStringErrorCode;

  constructor(code: ConnectionStringErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
