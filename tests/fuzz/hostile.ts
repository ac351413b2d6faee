/** Generates hostile values that a damaged file, a wrong server or an attacker could send. */
import fc from "fast-check";

/** Any JSON value, as `JSON.parse` returns it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Parts of hostile text: control and bidirectional characters, lone surrogates, syntax of every format. */
const pieces = [
  ...["\0", "\u001b[2J", "\r\n", "\n", "\t", "\u007f", "\u009b31m", "\u2028", "\u202e", "\u200b"],
  ...["\ud800", "\udc00", "😀", "é", "世", "\ufeff", "\ufffd"],
  ...["{", "}", "[", "]", '"', "'", "\\", ",", ":", "=", ";", "&", "%", "%00", "%ff", "%zz", "+"],
  ...["<script>", "${x}", "$&", "../", "//", "/", "?", "#", "@", "*", " ", "-", ".", "NaN"],
  ...["__proto__", "constructor", "toString", "1e999", "-0", "9007199254740993", "a", "Z", "0"],
];

/** Text of up to about 40 hostile pieces, or a long repetition of one. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map(join) },
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...pieces), fc.integer({ min: 100, max: 20_000 }))
      .map(([piece, count]) => piece.repeat(count)),
  },
);

/** Names that JavaScript or the engine treat specially, and other hostile text. */
export const hostileName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "length"),
  fc.constantFrom("__provider", "4dabf18193072939515e22adb298388d", "", "then", "toJSON", "0"),
  hostileText,
);

const numbers = fc.constantFrom<number>(
  ...[0, -0, -1, 0.5, 1e21, 1e308, Number.MAX_SAFE_INTEGER + 2, 2 ** 31, 2 ** 32, 5e-324],
);

/** A value inside 50 arrays and objects. */
function nested(value: Json): Json {
  let result = value;
  for (let depth = 0; depth < 25; depth += 1) result = [{ a: result }];
  return result;
}

/** A hostile JSON value of any type, deeply nested, or with special names. */
export const hostileJson: fc.Arbitrary<Json> = fc.oneof(
  hostileText,
  numbers,
  fc.constantFrom<Json>(null, true, false, [], {}),
  fc.constant("leaf").map(nested),
  fc.array(fc.oneof(hostileText, fc.constant(null)), { maxLength: 4 }),
  fc.array(fc.tuple(hostileName, hostileText), { maxLength: 3 }).map(ownProperties),
  fc
    .constantFrom('{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"x":1}}}')
    .map((text) => JSON.parse(text) as Json),
  fc.integer({ min: 100, max: 3000 }).map((length) => Array.from({ length }, () => 1)),
);

/** A hostile value, even one that JSON cannot represent. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileJson },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      ...[undefined, NaN, Infinity, -Infinity, 10n, Symbol("s"), new Date(NaN), new Map()],
      ...[() => 1, Object.create(null), /a/, new Proxy({}, {})],
    ),
  },
);

/** How one part of a valid value becomes hostile. */
interface Mutation {
  readonly at: number;
  readonly kind: "replace" | "remove" | "add";
  readonly name: string;
  readonly value: unknown;
}

/** A place in a value, which is a container and one of its names. The name of the root is empty. */
interface Place {
  readonly container: object;
  readonly name: string;
}

/**
 * Generates a valid value with up to three changed, removed or added parts.
 *
 * @param valid generates JSON values
 * @param parts generates what replaces a part. Default: JSON values
 */
export function mutated(
  valid: fc.Arbitrary<unknown>,
  parts: fc.Arbitrary<unknown> = hostileJson,
): fc.Arbitrary<unknown> {
  const mutation = fc.record<Mutation>({
    at: fc.nat({ max: 10_000 }),
    kind: fc.constantFrom("replace", "replace", "remove", "add"),
    name: hostileName,
    value: parts,
  });
  return fc
    .tuple(valid, fc.array(mutation, { maxLength: 3 }))
    .map(([value, mutations]) => mutations.reduce<unknown>(mutate, structuredClone(value)));
}

function mutate(value: unknown, { at, kind, name, value: part }: Mutation): unknown {
  const places = placesIn(value);
  const place = places[at % (places.length + 1)];
  if (place === undefined) return kind === "replace" ? part : value;
  if (kind === "remove") Reflect.deleteProperty(place.container, place.name);
  else define(place.container, kind === "add" ? name : place.name, part);
  return value;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    { container: value, name },
    ...placesIn(member),
  ]);
}

/** Like an assignment, but `__proto__` becomes an own property, as in `JSON.parse`. */
function define(container: object, name: string, value: unknown): void {
  // Arrays have no other names in JSON.
  if (Array.isArray(container) && !/^\d+$/.test(name)) container.push(value);
  else
    Object.defineProperty(container, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
}

function ownProperties(entries: readonly (readonly [string, Json])[]): Json {
  return Object.fromEntries(entries);
}

/**
 * Generates JSON text of a value, sometimes truncated, with duplicate names, a byte order mark or other
 * text in it.
 */
export function jsonText(values: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const text = values.map((value) => JSON.stringify(value));
  const damaged = fc
    .tuple(text, fc.nat({ max: 5000 }), fc.oneof(hostileText, fc.constant('{"results":1,')))
    .chain(([valid, at, part]) => {
      const index = at % (valid.length + 1);
      return fc.constantFrom(
        valid.slice(0, index),
        `${valid.slice(0, index)}${part}${valid.slice(index)}`,
        `\ufeff${valid}`,
        valid.replace("{", '{"results":[],"enabled":1,'),
        part,
      );
    });
  return fc.oneof({ weight: 3, arbitrary: text }, { weight: 2, arbitrary: damaged });
}

function join(parts: readonly string[]): string {
  return parts.join("");
}
