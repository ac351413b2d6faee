/**
 * Keeps credentials out of messages. A service or a proxy may repeat the request in its response, plain
 * or encoded: in JSON, in a URL, as an HTML entity, in Base64, or in several of these at once.
 */

/** Replaces the credentials in a text. Never throws; returns other text unchanged. */
export type Redact = (text: string) => string;

/**
 * Redacts nothing: for a request without credentials.
 *
 * @param text any text
 * @returns the same text
 */
export const redactNothing: Redact = (text) => text;

/** The replacement for a secret. */
const redactedSecret = "[redacted]";

/** The replacement for a whole text if the secrets in it cannot be located. */
export const redactedText = "[redacted: the response repeats credentials]";

/** Shorter secrets would match ordinary words, and no service issues them. */
const minSecretLength = 4;

/** The maximum number of nested encodings to decode. */
const maxLayers = 10;

/** The maximum depth of Base64 within Base64. */
const maxBase64 = 3;

/**
 * Creates a function that redacts secrets, in upper and lower case, plain or encoded. If a secret
 * only appears after decoding the text as a whole, the whole text is replaced. Apply it before
 * truncating the text: a partial secret is not recognized.
 *
 * @param secrets the secrets; secrets of fewer than four characters are ignored
 * @returns the function; it returns other text unchanged
 * @example redactor(["s3cret"])("key=%733cret") // "key=[redacted]"
 */
export function redactor(secrets: readonly string[]): Redact {
  const forms = formsOf(secrets);
  if (forms.length === 0) return redactNothing;
  return (text) => {
    const redacted = redactForms(text, forms);
    return redacted === undefined || containsSecret(redacted, forms, maxBase64)
      ? redactedText
      : redacted;
  };
}

/**
 * Finds the secrets that a request carries in its `Authorization` header.
 *
 * @param authorization the header's value
 * @returns the token of Bearer, the encoded pair of Basic or the hash of Digest; empty without a header
 */
export function secretsIn(authorization: string | undefined): string[] {
  if (authorization === undefined) return [];
  const token = /^(?:Basic|Bearer) (.+)$/.exec(authorization)?.[1];
  const hash = /\bresponse="([^"]+)"/.exec(authorization)?.[1];
  return [token, hash].filter((secret) => secret !== undefined);
}

/**
 * Returns the forms to search for: the secrets themselves, and their Base64 without padding. A secret may
 * look encoded itself, such as `7f%41`: the layers of a text then only contain its decoded form.
 */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets
    .filter(({ length }) => length >= minSecretLength)
    .flatMap((secret) => {
      const bytes = Buffer.from(secret);
      const base64 = bytes.toString("base64").replace(/=+$/, "");
      return [secret, secret.replace(/=+$/, ""), base64, bytes.toString("base64url")];
    })
    .flatMap((form) => layersOf(form).map(({ text }) => text))
    .filter(({ length }) => length >= minSecretLength);
  return [...new Set(forms.map(comparable))];
}

/** Normalizes text for comparison: lower case, with a space for the plus sign of form encoding. */
function comparable(text: string): string {
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return lower.replaceAll("+", " ");
}

/** A partly decoded text, with the original position of each character. */
interface Layer {
  readonly text: string;
  /** For each character: the start and end in the original text. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Returns the text with the secrets redacted; undefined if it has too many nested encodings. */
function redactForms(text: string, forms: readonly string[]): string | undefined {
  const ranges: Range[] = [];
  for (const [depth, layer] of layersOf(text).entries()) {
    if (depth === maxLayers) return undefined;
    const searched = comparable(layer.text);
    for (const form of forms) {
      for (let at = searched.indexOf(form); at !== -1; at = searched.indexOf(form, at + 1)) {
        ranges.push({
          start: layer.starts[at] ?? 0,
          end: layer.ends[at + form.length - 1] ?? text.length,
        });
      }
    }
  }
  return redactRanges(text, ranges);
}

/** Returns the text, then each further decoded version, until nothing is encoded. */
function layersOf(text: string): Layer[] {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  const layers: Layer[] = [{ text, starts, ends: starts.map((start) => start + 1) }];
  for (let next = layers[0]; next !== undefined && layers.length <= maxLayers; ) {
    next = decoded(next);
    if (next !== undefined) layers.push(next);
  }
  return layers;
}

/** Percent-encoded UTF-8 or Latin-1, escapes of JSON, references of HTML. */
const encodedCharacter = new RegExp(
  [
    "%[0-7][\\da-f]",
    "%[cd][\\da-f]%[89ab][\\da-f]",
    "%e[\\da-f](?:%[89ab][\\da-f]){2}",
    "%f[0-7](?:%[89ab][\\da-f]){3}",
    "%[\\da-f]{2}",
    '\\\\(?:u[\\da-f]{4}|["\\\\/bfnrt])',
    "&(?:#x[\\da-f]{1,6}|#\\d{1,7}|amp|lt|gt|quot|apos);",
  ].join("|"),
  "gi",
);

/** Decodes a layer once; returns undefined if nothing in it is encoded. */
function decoded(layer: Layer): Layer | undefined {
  let text = "";
  const starts: number[] = [];
  const ends: number[] = [];
  let next = 0;
  const copy = (from: number, to: number) => {
    text += layer.text.slice(from, to);
    for (let index = from; index < to; index += 1) {
      starts.push(layer.starts[index] ?? 0);
      ends.push(layer.ends[index] ?? 0);
    }
  };
  for (const { 0: encoded, index } of layer.text.matchAll(encodedCharacter)) {
    copy(next, index);
    next = index + encoded.length;
    const characters = decodeCharacter(encoded);
    text += characters;
    for (let unit = 0; unit < characters.length; unit += 1) {
      starts.push(layer.starts[index] ?? 0);
      ends.push(layer.ends[next - 1] ?? 0);
    }
  }
  if (next === 0) return undefined;
  copy(next, layer.text.length);
  return { text, starts, ends };
}

const named = new Map([
  ["\\b", "\b"],
  ["\\f", "\f"],
  ["\\n", "\n"],
  ["\\r", "\r"],
  ["\\t", "\t"],
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&apos;", "'"],
]);

function decodeCharacter(encoded: string): string {
  const lower = encoded.toLowerCase();
  const character = named.get(lower);
  if (character !== undefined) return character;
  if (lower.startsWith("%")) {
    const bytes = Buffer.from(lower.replaceAll("%", ""), "hex");
    return bytes.toString(bytes.length === 1 ? "latin1" : "utf8");
  }
  if (lower.startsWith("\\u")) return String.fromCharCode(parseInt(lower.slice(2), 16));
  if (lower.startsWith("\\")) return encoded.slice(1);
  const digits = lower.slice(2, -1);
  const code = digits.startsWith("x") ? parseInt(digits.slice(1), 16) : parseInt(digits, 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}

/** A part of a text. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Replaces the secrets in these ranges; adjacent ranges share one replacement. */
function redactRanges(text: string, ranges: readonly Range[]): string {
  let redacted = "";
  let next = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (start > next || redacted === "") redacted += text.slice(next, start) + redactedSecret;
    next = Math.max(next, end);
  }
  return redacted + text.slice(next);
}

/** How many more characters a search may decode. */
interface Budget {
  characters: number;
}

/** Enough for any error body. If a text needs more, assume that it contains a secret. */
const searchBudget = 500_000;

/** Returns whether the decoded text contains a form, including in the middle of Base64. */
function containsSecret(
  text: string,
  forms: readonly string[],
  base64Left: number,
  budget: Budget = { characters: searchBudget },
): boolean {
  budget.characters -= text.length;
  if (budget.characters < 0) return true;
  const layers = layersOf(text);
  if (layers.length > maxLayers) return true;
  return layers.some((layer) => {
    const searched = comparable(layer.text);
    if (forms.some((form) => searched.includes(form))) return true;
    if (base64Left === 0) return false;
    const runs = layer.text.match(/[A-Za-z0-9+/_-]{6,}/g) ?? [];
    // Base64 is decoded in groups of four characters, and a group may start at any of four offsets.
    return runs.some((run) =>
      [0, 1, 2, 3].some((shift) => {
        const text = Buffer.from(run.slice(shift), "base64").toString();
        return containsSecret(text, forms, base64Left - 1, budget);
      }),
    );
  });
}
