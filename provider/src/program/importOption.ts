/** Rejects the resource option `import`. */
import { runError } from "./runError";
import type * as pulumi from "./sdk";

/**
 * Rejects the option `import`: the engine imports resources before it knows the dynamic provider, so the
 * import would fail inside of Pulumi's SDK.
 *
 * @param name the name of the resource
 * @param options the options that the program gave
 * @throws a `RunError` that says what to do instead
 */
export function rejectImport(name: string, options: pulumi.CustomResourceOptions = {}): void {
  if (options.import === undefined) return;
  throw runError(
    `the resource "${name}" has the option import, which dynamic providers such as pulumi-clouddb do not support. Remove the option: creating the resource adopts what exists. To import it into a stack, use the plugin pulumi-resource-clouddb.`,
  );
}
