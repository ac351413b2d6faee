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

/**
 * The names of options that no driver knows, and in which users pass the password. They are refused, but only when all
 * arguments are known. Until then, previews contain them.
 */
const passwordArguments: readonly string[] = ["password", "pwd"];

/** The name of an option that can contain a secret, the token of a session in AWS, and the name of that token. */
const mechanismProperties = "authmechanismproperties";
const sessionToken = "aws_session_token";

/** Returns whether the value of an option is a secret. @internal */
export function hasSecretOption(options: unknown): boolean {
  const names = Object.keys(options ?? {}).map((name) => name.toLowerCase());
  const secretNames = [...passwordOptions, ...passwordArguments, mechanismProperties];
  return names.some((name) => secretNames.includes(name));
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
    const what = `the option ${name}`;
    if (passwordOptions.includes(name.toLowerCase())) return { what, place: "in options" };
    if (passwordArguments.includes(name.toLowerCase()))
      return { what, place: "as the argument password" };
    if (`${name}=${value}`.toLowerCase().includes(sessionToken)) {
      const token = "AWS_SESSION_TOKEN in the option authMechanismProperties";
      return { what: token, place: "in options" };
    }
  }
  return undefined;
}
