/**
 * Reads the JSON of a response within bounds. A response that a server made up to hurt, or that is
 * not the service's at all, must cost neither minutes nor gigabytes: its shape is measured before
 * anything is built from it.
 */

/** The most items of one array, and the most members of one object. A page holds at most 500 records. */
export const maxItems = 10_000;

/** How deep arrays and objects may be nested. A cluster needs six levels. */
export const maxNesting = 64;

/** The most values of one response. A page of 500 clusters holds about 30,000. */
export const maxValues = 1_000_000;

/** What a text is as JSON. */
export type ParsedJson =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "notJson" }
  /** The text is not parsed; `problem` is what it does, as "is nested deeper than 64 levels". */
  | { readonly kind: "outOfBounds"; readonly problem: string };

/**
 * Parses JSON, unless its shape is out of bounds. Never throws. Takes linear time and does not
 * recurse, whatever the text holds.
 *
 * @param text the body of a response
 * @returns the value, or why there is none
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
 * Measures a JSON text without parsing it.
 *
 * @param text JSON; of any other text the result means nothing
 * @returns which of {@link maxNesting}, {@link maxItems} and {@link maxValues} the text exceeds;
 * undefined if none
 * @example boundsProblem("[".repeat(65)) // "is nested deeper than 64 levels"
 */
export function boundsProblem(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  /** Commas so far of each open array or object. */
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
      const seen = (commas[depth] ?? 0) + 1;
      commas[depth] = seen;
      if (seen >= maxItems) return `holds a list of more than ${maxItems} items`;
      if (values > maxValues) return `holds more than ${maxValues} values`;
    }
  }
  return undefined;
}

/** The index of the quote that ends the string; the text's length if none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
