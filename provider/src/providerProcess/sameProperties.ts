/**
 * Compares types at compile time: the schema that the provider process validates with, and the interface
 * that users see, which programs load without the schema.
 */

/**
 * The names of the properties that differ: those that only one of the types has, and those whose type
 * or optionality differs. Ignores `readonly`.
 *
 * @example
 * type None = DifferentProperties<{ a: string }, { readonly a: string }>; // never
 * type B = DifferentProperties<{ a: string; b?: boolean }, { a: string }>; // "b"
 */
export type DifferentProperties<First, Second> = {
  [Name in keyof First | keyof Second]: Name extends keyof First & keyof Second
    ? IsSame<Pick<First, Name>, Pick<Second, Name>> extends true
      ? never
      : Name
    : Name;
}[keyof First | keyof Second];

/** Whether each type is assignable to the other. */
type IsSame<First, Second> = [First, Second] extends [Second, First] ? true : false;

/**
 * A type that only compiles without differences. The compiler error names the differing properties.
 *
 * @example
 * type Args = Agreed<z.output<typeof args>, DifferentProperties<z.input<typeof args>, PublicArgs>>;
 */
export type Agreed<Type, Difference extends never> = [Difference] extends [never] ? Type : never;
