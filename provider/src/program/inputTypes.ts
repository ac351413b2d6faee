/** Derives the types of arguments that may be outputs of other resources from those of plain values. */
import type * as pulumi from "./sdk";

/**
 * The type `T` with every property as an input: a value, a promise or an output.
 *
 * @example InputArgs<{ region?: string }> // { readonly region?: pulumi.Input<string> | undefined }
 */
export type InputArgs<T> = {
  readonly [Name in keyof T]:
    | pulumi.Input<NestedInputs<Exclude<T[Name], undefined>>>
    | Extract<T[Name], undefined>;
};

/** The type `T`, where every property of a nested object is an input as well. Distributes over unions. */
export type NestedInputs<T> = T extends string | number | boolean ? T : InputArgs<T>;
