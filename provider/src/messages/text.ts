/**
 * External text in messages: one line, of limited length, without characters that control a terminal or reorder text,
 * and without credentials. All text from the service, a file or the environment is escaped here before it becomes part
 * of a message.
 */

/** The length of a text in a message, unless the caller has another limit. */
const defaultLimit = 500;

/** Control, format (bidirectional, zero-width) and separator characters, and lone surrogates. */
export const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes external text for a message.
 *
 * @example escapeText("a\u001b[31mb\nc") // "a\\u{1b}[31mb\\nc"
 */
export function escapeText(text: string, limit: number = defaultLimit): string {
  // Without the first half of a surrogate pair that is cut in two.
  const start = text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
  return (text.length > limit ? `${start}…` : text).replace(unsafeCharacters, escapeCharacter);
}

/**
 * Escapes unsafe characters in a whole message, except for line breaks. In addition to {@link escapeText}, this is a
 * safety net for the places where messages leave the process.
 *
 * @example escapeMessage("a\rb\nc") // "a\\rb\nc"
 */
export function escapeMessage(message: string): string {
  return message.replace(unsafeCharacters, (character) =>
    character === "\n" ? character : escapeCharacter(character),
  );
}

/**
 * Formats a value as JSON on several lines. Unlike `JSON.stringify`, escapes all unsafe characters in its texts.
 *
 * @example jsonText("a\u202e") // "\"a\\u202e\""
 */
export function jsonText(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  // JSON.stringify has escaped the line breaks in texts.
  return JSON.stringify(value, null, 2).replace(unsafeCharacters, (character) =>
    character === "\n" ? character : character.split("").map(escaped).join(""),
  );
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Returns what is wrong with an argument, such as `clusterName is missing; it must be the name of a cluster`. */
export function argumentProblem(path: string, problem: string): string {
  return `${escapeText(path, 200)} ${problem}`;
}

/** What a schema reports. Without zod's type, which the package's declarations must not import. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const maxProblems = 5;

/** Lists the first problems that a schema reports, and escapes them, because they may contain keys of the value. */
export function problemsOf({ issues }: { readonly issues: readonly Issue[] }): string {
  const problems = issues.slice(0, maxProblems).map(({ path, message }) => {
    const where = path.length === 0 ? "" : `${escapeText(path.join("."), 200)}: `;
    return `${where}${escapeText(message, 300)}`;
  });
  const more = issues.length - problems.length;
  return [...problems, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** What replaces a text that contains a secret. */
export const redactedText = "[redacted: contains the value of a secret setting]";

/** The shortest secret that is redacted. Shorter ones would match ordinary words, and no service issues them. */
const minRedactedLength = 4;

/** The shortest secret that is found without regard to white space, where shorter ones would match ordinary text. */
const minBrokenLength = 16;

/**
 * Returns {@link redactedText} instead of text that contains a secret, plain or escaped for JSON or URLs. Finds a long
 * one even if it is broken over several lines, as Base64 and headers can be. Ignores case, because the hexadecimal
 * digits of an escape can be in either case.
 *
 * @example redacted("key=k3y%2Fw0rd", ["k3y/w0rd"]) // "[redacted: contains the value of a secret setting]"
 */
export function redacted(text: string, secrets: readonly string[]): string {
  const searched = text.toLowerCase();
  const joined = withoutWhiteSpace(searched);
  const forms = secrets.filter(({ length }) => length >= minRedactedLength).flatMap(encodingsOf);
  const containsSecret = forms.some((form) => {
    const joinedForm = withoutWhiteSpace(form);
    const isBroken = joinedForm.length >= minBrokenLength && joined.includes(joinedForm);
    return isBroken || searched.includes(form);
  });
  return containsSecret ? redactedText : text;
}

/** Like {@link redacted}, but keeps the lines without a secret, unless one is broken over several lines. */
export function redactedLines(text: string, secrets: readonly string[]): string {
  const lines = text.split("\n").map((line) => redacted(line, secrets));
  return redacted(lines.join("\n"), secrets);
}

/** Returns the secrets in the `Authorization` header of a request, which are its token, or the hash of its digest. */
export function secretsIn(authorization = ""): string[] {
  const token = /^(?:Basic|Bearer) (.+)/.exec(authorization)?.[1];
  const hash = /\bresponse="([^"]+)"/.exec(authorization)?.[1];
  return [token, hash].filter((secret) => secret !== undefined);
}

/** Returns a secret as plain text, in JSON and in a URL, each in lower case. */
function encodingsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, encodeURIComponent(secret)].map((form) => form.toLowerCase());
}

function withoutWhiteSpace(text: string): string {
  return text.replace(/\s+/g, "");
}

/** Returns whether a text is a UUID, as the private keys of some services are. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text.trim());
}
