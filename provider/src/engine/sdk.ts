/**
 * The part of Pulumi's SDK that programs need for this package, from the SDK's own modules. Its main
 * module would load the Automation API and the compiler of closures besides, which no resource here
 * needs (docs/decisions/0011-only-parts-of-the-sdk.md).
 */
export { Config } from "@pulumi/pulumi/config";
export * as runtimeConfig from "@pulumi/pulumi/runtime/config";
export { RunError } from "@pulumi/pulumi/errors";
export {
  type Input,
  type Inputs,
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
  type ResourceOptions,
} from "@pulumi/pulumi/resource";
export { getStackResource } from "@pulumi/pulumi/runtime/stack";
export type { InvokeOptions, InvokeOutputOptions } from "@pulumi/pulumi/invoke";
