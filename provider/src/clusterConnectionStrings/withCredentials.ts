/** Adds credentials to a connection string in a Pulumi program. */
import {
  ConnectionStringError,
  withCredentials as addCredentials,
} from "clouddb-connection-strings/credentials";
import { runError } from "../program/runError";
import * as pulumi from "../program/sdk";

/** The credentials of a database user, and options to add to the connection string. */
export interface WithCredentialsArgs {
  /** The name of the database user. */
  readonly username: pulumi.Input<string>;
  /** The password of the database user. */
  readonly password: pulumi.Input<string>;
  /**
   * Added after the existing options, for example `{ retryWrites: true }`.
   *
   * @default no options
   */
  readonly options?:
    | pulumi.Input<Record<string, pulumi.Input<string | number | boolean>>>
    | undefined;
}

/**
 * Adds a database user's credentials to a connection string, percent-encoded according to RFC 3986.
 * Hosts, port, form and existing options stay exactly as they are.
 *
 * @param connectionString the string, as the service returned it
 * @param credentials the user name, the password, and options to add
 * @returns a secret; fails with a `RunError` if the text is not a connection string or already contains
 *   credentials. The message never contains any part of the string or the credentials.
 * @example
 * const url = clouddb.withCredentials(orders.recommended, { username: "app", password });
 */
export function withCredentials(
  connectionString: pulumi.Input<string>,
  credentials: WithCredentialsArgs,
): pulumi.Output<string> {
  const known = pulumi.all([connectionString, pulumi.output(credentials)]);
  return pulumi.secret(
    known.apply(([text, plainCredentials]) =>
      orRunError(() => addCredentials(text, plainCredentials)),
    ),
  );
}

/** Reports a user error without a stack trace, which would only hide the message. */
function orRunError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConnectionStringError)) throw error;
    throw runError(`withCredentials: ${error.message}`);
  }
}
