/** Reads the record `connectionStrings`, in which null and values of another type count as absent. */

/** Returns a value if it is a non-empty string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the fields of an object that are not undefined. */
export function present<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const present: { [Name in keyof Fields]?: NonNullable<Fields[Name]> } = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined && value !== null) present[name] = value;
  }
  return present;
}

/** Returns the objects in a list; none for other types. */
export function objectsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns the fields of an object that are not null, in a map, because a field can be called `constructor`. */
export function fieldsOf(value: unknown): Map<string, unknown> {
  const fields = isObject(value) ? Object.entries(value) : [];
  return new Map(fields.filter(([, field]) => field !== null && field !== undefined));
}

/** Returns the non-empty strings among the fields of an object. */
export function textsOf(value: unknown): Map<string, string> {
  const texts = Array.from(fieldsOf(value), ([name, field]) => ({ name, text: textOf(field) }));
  return new Map(texts.flatMap(({ name, text }) => (text === undefined ? [] : [[name, text]])));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
