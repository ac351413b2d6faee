/**
 * The options of connection strings whose values are secrets. Programs load this file, so it does not use zod
 * (docs/internals/decisions.md#0014-measured-optimizations).
 */

/** The names of options with passwords, in lower case, because drivers ignore the case. The last two are one option. */
const passwordOptions: readonly string[] = [
  "proxypassword",
  "tlscertificatekeyfilepassword",
  "sslclientcertificatekeypassword",
];

/** The name of an option that can contain a secret, the token of a session in AWS, and the name of that token. */
const mechanismProperties = "authmechanismproperties";
const sessionToken = "aws_session_token";

/** Returns whether the value of an option is a secret. @internal */
export function hasSecretOption(options: unknown): boolean {
  const names = Object.keys(options ?? {}).map((name) => name.toLowerCase());
  return names.some((name) => passwordOptions.includes(name) || name === mechanismProperties);
}

/**
 * Returns what is secret in a connection string, which may be malformed: the name of an option, or the session token.
 *
 * @internal
 */
export function secretIn(connectionString: string): string | undefined {
  // Some drivers accept semicolons between options.
  const options = new URLSearchParams(connectionString.replaceAll(/[?;]/g, "&"));
  for (const [name, value] of options) {
    if (passwordOptions.includes(name.toLowerCase())) return `the option ${name}`;
    if (`${name}=${value}`.toLowerCase().includes(sessionToken))
      return "AWS_SESSION_TOKEN in the option authMechanismProperties";
  }
  return undefined;
}
