/**
 * The parts of Pulumi's SDK that this package needs in programs. The main module of the SDK would also
 * load the Automation API and the closure compiler, which no resource here needs
 * (docs/decisions/0011-only-parts-of-the-sdk.md).
 */
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
  type ResourceOptions,
} from "@pulumi/pulumi/resource";
export { getStackResource } from "@pulumi/pulumi/runtime/stack";
export type { InvokeOptions, InvokeOutputOptions } from "@pulumi/pulumi/invoke";
