/**
 * Keeps credentials out of messages. Errors quote only the fields of the service's error JSON, the origin of a
 * redirect and the schemes of a challenge, in which a service or a proxy may repeat credentials.
 */

/** Removes credentials from text. Never throws; returns text without credentials unchanged. */
export type Redact = (text: string) => string;

/** Redacts nothing: for a request without credentials. */
export const redactNothing: Redact = (text) => text;

export const redactedText = "[redacted: may contain credentials]";

/** Shorter secrets would match ordinary words, and no service issues them. */
const minSecretLength = 4;

/**
 * Creates a function that replaces text with {@link redactedText} if it contains a secret, plain or escaped for
 * JSON or URLs. Ignores case, because the digits of an escape have either.
 *
 * @example redactor(["k3y/w0rd"])("key=k3y%2Fw0rd") // "[redacted: may contain credentials]"
 */
export function redactor(secrets: readonly string[]): Redact {
  const forms = secrets.filter(({ length }) => length >= minSecretLength).flatMap(formsOf);
  return (text) => {
    const searched = text.toLowerCase();
    return forms.some((form) => searched.includes(form)) ? redactedText : text;
  };
}

/** Finds the secrets that a request carries in its `Authorization` header. */
export function secretsIn(authorization = ""): string[] {
  const token = /^(?:Basic|Bearer) (.+)/.exec(authorization)?.[1];
  const hash = /\bresponse="([^"]+)"/.exec(authorization)?.[1];
  return [token, hash].filter((secret) => secret !== undefined);
}

/** Returns the forms of a secret to search for, in lower case. */
function formsOf(secret: string): string[] {
  // encodeURIComponent throws for a lone surrogate, which a buffer replaces.
  const inUrl = encodeURIComponent(Buffer.from(secret).toString());
  return [secret, JSON.stringify(secret).slice(1, -1), inUrl].map((form) => form.toLowerCase());
}
