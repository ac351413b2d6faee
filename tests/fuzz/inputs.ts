/** Generates unusual text, and valid values that another version of a service could change. */
import fc from "fast-check";

/** Any JSON value, as `JSON.parse` returns it. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Parts of unusual text: control and bidirectional characters, lone surrogates, syntax of every format. */
const pieces = [
  "\0",
  "\x1B[2J",
  "\r\n",
  "31m",
  "\u2028",
  "\u202e",
  "\u200b",
  "\ufeff",
  "\ud800",
  "😀",
  "é",
  "%ff",
  "<p>",
  "$&",
  "../",
  "//",
  "__proto__",
  ...Array.from('\n\t{}[]"\\,:=;&%?#@* -.aZ0'),
];

/** Text of up to about 40 unusual pieces. */
export const unusualText: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 40 }),
);

/** A value of any JSON type. */
const anyJson: fc.Arbitrary<Json> = fc.oneof(
  unusualText,
  fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, 1e308, [], {}),
  fc.array(unusualText, { maxLength: 3 }),
  fc.dictionary(unusualText, unusualText, { maxKeys: 3, noNullPrototype: true }),
);

/** A change to one part of a valid value. */
interface Mutation {
  readonly at: number;
  readonly kind: "replace" | "remove" | "add";
  readonly name: string;
  readonly value: Json;
}

/** A position in a value: a container and one of its keys. */
interface Place {
  readonly container: object;
  readonly name: string;
}

/** Generates a valid value with up to three changed, removed or added parts. */
export function mutated(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const mutation = fc.record<Mutation>({
    at: fc.nat({ max: 10_000 }),
    kind: fc.constantFrom("replace", "replace", "remove", "add"),
    name: unusualText,
    value: anyJson,
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
  else if (Array.isArray(place.container)) place.container.push(part);
  else Reflect.set(place.container, kind === "add" ? name : place.name, part);
  return value;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    { container: value, name },
    ...placesIn(member),
  ]);
}
