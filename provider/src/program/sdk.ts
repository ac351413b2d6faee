/**
 * The parts of Pulumi's SDK that this package needs in programs. The main module of the SDK would also load the
 * Automation API and the closure compiler, which no resource here needs
 * (docs/internals/decisions.md#0011-only-parts-of-the-sdk).
 */
import type { Input } from "@pulumi/pulumi/output";

export { Config } from "@pulumi/pulumi/config";
export * as runtimeConfig from "@pulumi/pulumi/runtime/config";
export { getProject, getStack } from "@pulumi/pulumi/metadata";
export { RunError } from "@pulumi/pulumi/errors";
export {
  type Input,
  type Inputs,
  type Unwrap,
  Output,
  all,
  output,
  secret,
  unsecret,
} from "@pulumi/pulumi/output";
export {
  CustomResource,
  type CustomResourceOptions,
  type ID,
  ProviderResource,
  Resource,
  type ResourceOptions,
  type ResourceTransformation,
  type ResourceTransformationArgs,
} from "@pulumi/pulumi/resource";
export { getMonitor } from "@pulumi/pulumi/runtime/settings";
export * as runtimeState from "@pulumi/pulumi/runtime/state";
export { getStackResource } from "@pulumi/pulumi/runtime/stack";
export type { InvokeOptions, InvokeOutputOptions } from "@pulumi/pulumi/invoke";

/**
 * The type `T` with every property as an input: a value, a promise or an output. Those of optional properties can be of
 * undefined.
 *
 * @example InputArgs<{ region?: string }> // { readonly region?: Input<string | undefined> }
 */
export type InputArgs<T> = { readonly [Name in keyof T]: Input<NestedInputs<T[Name]>> };

/** The type `T`, in which every property of a nested object is an input, too. Distributes over unions. */
export type NestedInputs<T> = T extends string | number | boolean | undefined ? T : InputArgs<T>;
