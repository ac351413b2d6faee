/**
 * Parses the JSON of a response within limits. A malicious response, or one from another server, must
 * not cost minutes or gigabytes: its shape is checked before it is parsed.
 */

/** The maximum size of an array or object. A page contains at most 500 records. */
const maxItems = 10_000;

/** How deep arrays and objects may be nested. A cluster needs six levels. */
const maxNesting = 64;

/** The maximum number of values in a response. A page of 500 clusters contains about 30,000. */
const maxValues = 1_000_000;

/** The result of parsing text as JSON. */
export type ParsedJson =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "notJson" }
  /** The text was not parsed; `problem` says why, such as "is nested deeper than 64 levels". */
  | { readonly kind: "outOfBounds"; readonly problem: string };

/**
 * Parses JSON unless its shape exceeds the limits. Never throws, takes linear time and does not
 * recurse.
 *
 * @param text the body of a response
 * @returns the value, or why the text was not parsed
 * @example parseJson("[[1, 2]]") // { kind: "json", value: [[1, 2]] }
 */
export function parseJson(text: string): ParsedJson {
  const problem = boundsProblem(text);
  if (problem !== undefined) return { kind: "outOfBounds", problem };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    return { kind: "notJson" };
  }
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Checks the shape of a JSON text without parsing it.
 *
 * @param text JSON; for any other text the result is meaningless
 * @returns which of {@link maxNesting}, {@link maxItems} and {@link maxValues} the text exceeds;
 * undefined if none
 * @example boundsProblem("[".repeat(65)) // "is nested deeper than 64 levels"
 */
export function boundsProblem(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  /** The number of commas so far in each open array or object. */
  const commas: number[] = [];
  let depth = 0;
  let values = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) {
      index = endOfString(text, index);
    } else if (code === openArray || code === openObject) {
      depth += 1;
      values += 1;
      if (depth > maxNesting) return `is nested deeper than ${maxNesting} levels`;
      commas[depth] = 0;
    } else if (code === closeArray || code === closeObject) {
      depth = Math.max(0, depth - 1);
    } else if (code === comma) {
      values += 1;
      const count = (commas[depth] ?? 0) + 1;
      commas[depth] = count;
      if (count >= maxItems) return `contains a list of more than ${maxItems} items`;
      if (values > maxValues) return `contains more than ${maxValues} values`;
    }
  }
  return undefined;
}

/** Returns the index of the quote that ends the string, or the length of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
