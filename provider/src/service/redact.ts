/**
 * Keeps credentials out of messages. A service or a proxy may repeat the request in its response, plain or in
 * any mixture of encodings, so text that may contain a credential is not quoted at all.
 */

/** Removes credentials from text. Never throws; returns text without credentials unchanged. */
export type Redact = (text: string) => string;

/** Redacts nothing: for a request without credentials. */
export const redactNothing: Redact = (text) => text;

export const redactedText = "[redacted: may contain credentials]";

/** A part of a secret with this many characters counts as a leak. */
const partLength = 8;

/** Shorter secrets would match ordinary words, and no service issues them. */
const minSecretLength = 4;

/** Longer texts are truncated. No message quotes more than 500 characters. */
const maxTextLength = 1000;

/** How many characters to decode. If text needs more, assume that it contains a credential. */
const searchBudget = 1_000_000;

/**
 * Creates a function that replaces text with {@link redactedText} if it may contain eight or more consecutive
 * characters of a secret. Ignores case, white space and punctuation, and decodes Base64, hexadecimal digits
 * and the escapes of URLs, JSON, HTML and e-mails, including nested ones.
 *
 * No part of a shorter secret proves a leak, so only whole occurrences of it are replaced, plain or in one
 * encoding. The function also truncates text to 1,000 characters.
 *
 * @example redactor(["0a1b2c3d-4e5f"])("key=%30a1b2c3d-4") // "[redacted: may contain credentials]"
 */
export function redactor(secrets: readonly string[]): Redact {
  const parts = new Set(secrets.flatMap((secret) => partsOf(printable(secret))));
  const spellings = secrets.filter(({ length }) => length >= minSecretLength).flatMap(spellingsOf);
  return (text) => {
    const quoted = text.slice(0, maxTextLength);
    if (mayContain(quoted, parts)) return redactedText;
    return spellings.reduce((rest, spelling) => rest.replaceAll(spelling, "[redacted]"), quoted);
  };
}

/** Finds the secrets that a request carries in its `Authorization` header. */
export function secretsIn(authorization: string | undefined): string[] {
  // Stryker disable next-line ConditionalExpression: no secret is found in a missing header
  if (authorization === undefined) return [];
  // Stryker disable next-line Regex: a header has no line breaks
  const token = /^(?:Basic|Bearer) (.+)$/.exec(authorization)?.[1];
  const hash = /\bresponse="([^"]+)"/.exec(authorization)?.[1];
  return [token, hash].filter((secret) => secret !== undefined);
}

/** Returns all parts of a secret, with and without its punctuation. */
function partsOf(text: string): string[] {
  const lower = text.toLowerCase();
  return [lower, lower.replace(/[^a-z0-9]/g, "")].flatMap((each) => {
    const count = Math.max(0, each.length - partLength + 1);
    return Array.from({ length: count }, (_, at) => each.slice(at, at + partLength));
  });
}

/** Returns a secret without encoding, in JSON, in a URL and in Base64. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(bytes.toString()),
    bytes.toString("base64").replaceAll("=", ""),
    bytes.toString("base64url"),
  ];
}

/** Searches text and everything that it decodes to. */
function mayContain(text: string, parts: ReadonlySet<string>): boolean {
  const forms = new Set([printable(text)]);
  let characters = 0;
  // The loop also visits the forms that it adds.
  for (const form of forms) {
    // Stryker disable next-line AssignmentOperator: only limits the time
    characters += form.length;
    // Stryker disable next-line ConditionalExpression,EqualityOperator,BooleanLiteral: only limits the time
    if (characters > searchBudget) return true;
    if (partsOf(form).some((part) => parts.has(part))) return true;
    for (const decoded of decodings(form)) forms.add(printable(decoded));
  }
  return false;
}

/** Removes white space, control characters, other alphabets, and the line breaks of quoted-printable. */
function printable(text: string): string {
  return text.replace(/=[^!-~]*\n/g, "").replace(/[^!-~]/g, "");
}

/** Decodes text in every way. Encoded text may follow other text, so each offset is tried. */
function decodings(text: string): string[] {
  const hex = text.replace(/0x|[^\da-f]/gi, "");
  const base64 = [/[^A-Za-z0-9+/_-]/g, /[^A-Za-z0-9]/g].map((other) => text.replace(other, ""));
  // Also each kind of escape alone, because a secret may contain text that looks like another kind.
  const kinds = ["%", "\\", "&"].map((first) =>
    text.replace(escapes, (match, ...groups: string[]) =>
      match.startsWith(first) ? unescaped(match, ...groups) : match,
    ),
  );
  return [
    text.replace(escapes, unescaped),
    ...kinds,
    text.replace(/=([\da-f]{2})/gi, (_, digits: string) => bytesOf(digits, "hex")),
    ...[0, 1].map((at) => bytesOf(hex.slice(at), "hex")),
    ...base64.flatMap((each) => [0, 1, 2, 3].map((at) => bytesOf(each.slice(at), "base64"))),
  ];
}

/** Decodes to Latin-1, which keeps all letters and digits, including those of UTF-8 and UTF-16. */
function bytesOf(text: string, encoding: "hex" | "base64"): string {
  return Buffer.from(text, encoding).toString("latin1");
}

/** The escapes of URLs, JSON and HTML. */
const escapes =
  /(?:%|\\)u([\da-f]{4})|(?:%|\\x)([\da-f]{2})|(?:\\u\{|&#x)([\da-f]{1,6})[};]|&#(\d{1,7});|&(\w+);|\\([^xu])/gi;

/** Returns the character of an escape, given its digits or its name. */
function unescaped(
  _: string,
  ...[four, two, any, decimal, entity, escaped]: (string | undefined)[]
): string {
  if (entity !== undefined) return entity === "amp" ? "&" : "";
  if (escaped !== undefined) return escaped.replace(/[bfrt]/, "").replace("n", "\n");
  const digits = four ?? two ?? any;
  const code = digits === undefined ? Number(decimal) : parseInt(digits, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
