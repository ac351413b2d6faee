/**
 * Keeps credentials out of messages. Errors quote only the fields of the service's error JSON, the origin of a
 * redirect and the schemes of a challenge, in which a service or a proxy may repeat credentials.
 */

/** Removes credentials from text. Never throws; returns text without credentials unchanged. */
export type Redact = (text: string) => string;

/** Redacts nothing: for a request without credentials. */
export const redactNothing: Redact = (text) => text;

export const redactedText = "[redacted: may contain credentials]";

/** A part of a secret with this many bytes counts as a leak. Of a shorter secret, only the whole does. */
const partLength = 8;

/** Shorter secrets would match ordinary words, and no service issues them. */
const minSecretLength = 4;

/**
 * Creates a function that replaces text with {@link redactedText} if it contains eight consecutive bytes of a
 * secret, or a shorter secret, as plain text, in a URL, in Base64 or in hexadecimal digits. Ignores case.
 *
 * @example redactor(["0a1b2c3d-4e5f"])("key=%30a1b2c3d-4") // "[redacted: may contain credentials]"
 */
export function redactor(secrets: readonly string[]): Redact {
  const forms = secrets.filter(({ length }) => length >= minSecretLength).flatMap(formsOf);
  return (text) => {
    const plain = Buffer.from(text).toString("latin1");
    const searched = `${plain}\n${unescapeUrl(plain)}`.toLowerCase();
    const parts = new Set(partsOf(searched));
    const isFound = forms.some((form) =>
      form.length < partLength
        ? searched.includes(form)
        : partsOf(form).some((part) => parts.has(part)),
    );
    return isFound ? redactedText : text;
  };
}

/** Finds the secrets that a request carries in its `Authorization` header. */
export function secretsIn(authorization = ""): string[] {
  const token = /^(?:Basic|Bearer) (.+)/.exec(authorization)?.[1];
  const hash = /\bresponse="([^"]+)"/.exec(authorization)?.[1];
  return [token, hash].filter((secret) => secret !== undefined);
}

/** Returns the forms of a secret to search for, in lower case. Text in a URL is decoded instead. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Other text before the secret shifts its Base64. Characters that also depend on that text are left out.
  const base64 = [0, 1, 2].flatMap((shift) =>
    (["base64", "base64url"] as const).map((encoding) =>
      Buffer.concat([Buffer.alloc(shift), bytes])
        .toString(encoding)
        .slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6)),
    ),
  );
  const forms = [bytes.toString("latin1"), bytes.toString("hex"), ...base64];
  return forms.map((form) => form.toLowerCase());
}

function partsOf(text: string): string[] {
  const count = Math.max(0, text.length - partLength + 1);
  return Array.from({ length: count }, (_, at) => text.slice(at, at + partLength));
}

function unescapeUrl(text: string): string {
  return text
    .replaceAll("+", " ")
    .replace(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}
