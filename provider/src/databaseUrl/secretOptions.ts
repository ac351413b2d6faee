/**
 * The options of connection strings whose values are secrets. Programs load this file, so it does not use zod
 * (docs/internals/decisions.md#0014-measured-optimizations).
 */

/**
 * Matches the names of options whose values are secrets. Drivers know `proxyPassword`, `tlsCertificateKeyFilePassword`
 * and `passphrase`. Others, such as `sslPass`, are of earlier drivers or mistakes, which no preview must show either.
 */
const secretName = /^[\w.-]*(?:pass(?:word|phrase|wd)?|pwd|secret|token)$/i;

/** The names of options in which users pass the password of the database user, in lower case. Always refused. */
const passwordArguments: readonly string[] = ["password", "pwd"];

/** The name of an option that can contain a secret, the token of a session in AWS, and the name of that token. */
const mechanismProperties = "authmechanismproperties";
const sessionToken = "aws_session_token";

/** Returns whether the value of an option is a secret. @internal */
export function hasSecretOption(options: unknown): boolean {
  return Object.keys(options ?? {}).some(
    (name) => secretName.test(name) || name.toLowerCase() === mechanismProperties,
  );
}

/** A secret in a connection string. @internal */
export interface FoundSecret {
  /** The name of an option, or the session token. */
  readonly what: string;
  /** Where a program passes it instead. */
  readonly place: string;
}

/** Returns what is secret in a connection string, which may be malformed. @internal */
export function secretIn(connectionString: string): FoundSecret | undefined {
  // Some drivers accept semicolons between options.
  const options = new URLSearchParams(connectionString.replaceAll(/[?;]/g, "&"));
  for (const [name, value] of options) {
    if (secretName.test(name)) {
      const isArgument = passwordArguments.includes(name.toLowerCase());
      const place = isArgument ? "as the argument password" : "in options";
      return { what: `the option ${name}`, place };
    }
    if (`${name}=${value}`.toLowerCase().includes(sessionToken)) {
      const token = "AWS_SESSION_TOKEN in the option authMechanismProperties";
      return { what: token, place: "in options" };
    }
  }
  return undefined;
}

/** Replaces the values of secret options in the connection strings of a text. @internal */
export function withoutSecretOptions(text: string, replacement: string): string {
  return text.replace(/([?&;][^\s?&;=]+=)[^\s?&;"'`]+/g, (option, start: string) =>
    secretIn(option) === undefined ? option : `${start}${replacement}`,
  );
}
