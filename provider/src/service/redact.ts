/** Keeps credentials out of messages, which quote texts in which a service or a proxy may repeat them. */

export const redactedText = "[redacted: may contain credentials]";

/** Shorter secrets would match ordinary words, and no service issues them. */
const minSecretLength = 4;

/**
 * Returns {@link redactedText} instead of text that contains a secret, plain or escaped for JSON or URLs. Ignores case,
 * because the hexadecimal digits of an escape can be in either case.
 *
 * @example redacted("key=k3y%2Fw0rd", ["k3y/w0rd"]) // "[redacted: may contain credentials]"
 */
export function redacted(text: string, secrets: readonly string[]): string {
  const searched = text.toLowerCase();
  const forms = secrets.filter(({ length }) => length >= minSecretLength).flatMap(formsOf);
  return forms.some((form) => searched.includes(form)) ? redactedText : text;
}

/** Finds the secrets that a request carries in its `Authorization` header. */
export function secretsIn(authorization = ""): string[] {
  const token = /^(?:Basic|Bearer) (.+)/.exec(authorization)?.[1];
  const hash = /\bresponse="([^"]+)"/.exec(authorization)?.[1];
  return [token, hash].filter((secret) => secret !== undefined);
}

function formsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, encodeURIComponent(secret)].map((form) => form.toLowerCase());
}
