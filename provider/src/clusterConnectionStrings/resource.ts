/** The ClusterConnectionStrings resource that a Pulumi program uses. */
import { ClouddbResource, type OutputsOf, isOfClass } from "../program/clouddbResource";
import { earliestRequest } from "../program/dependencies";
import { isMocked } from "../program/run";
import type { InputArgs } from "../program/sdk";
import type * as pulumi from "../program/sdk";
import { lastTransformation, mayBeTransformed } from "../program/transformations";
import type { ClusterConnectionStringsArgs, HiddenLookupInputs } from "./args";
import { type GetConnectionStringsResult, outputs } from "./outputs";

// The outputs, of which an optional one is undefined if the cluster does not have it. Editors would show a comment in
// JSDoc in front of that of the class.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging, typescript/no-empty-object-type -- the SDK assigns the outputs
export interface ClusterConnectionStrings extends OutputsOf<GetConnectionStringsResult> {}

/**
 * Looks up the connection strings of a cluster. Each is exactly as the service returns it, and `recommended` is the one
 * for the application's network. A preview knows them, unless the lookup waits or an argument is unknown.
 *
 * A lookup owns nothing in the service: creating and deleting one changes only the state
 * ([how strings differ](https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/internals/service.md#26-connection-strings)).
 *
 * @example
 * const orders = new clouddb.ClusterConnectionStrings("orders", {
 *   projectId: "64a0c0ffee0000000000a001",
 *   clusterName: "orders",
 *   network: { kind: "privateEndpoint", region: "us-east-1" },
 * });
 * export const databaseUrl = orders.recommended;
 */
export class ClusterConnectionStrings extends ClouddbResource {
  /**
   * Returns whether a value is such a resource, for example in a policy pack.
   *
   * @param value any value
   */
  static override isInstance(value: unknown): value is ClusterConnectionStrings {
    return isOfClass("ClusterConnectionStrings", value);
  }

  /**
   * Looks up an existing cluster, for the Internet in SRV form.
   *
   * @param name the name of the resource
   * @param id `<projectId>/<clusterName>`
   * @param options Pulumi's resource options, such as the provider to use
   * @example
   * const orders = clouddb.ClusterConnectionStrings.get("orders", `${projectId}/orders`);
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    options?: pulumi.CustomResourceOptions,
  ): ClusterConnectionStrings {
    // The engine reads the lookup by its ID, without arguments.
    const none: Partial<ClusterConnectionStringsArgs> = {};
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    return new ClusterConnectionStrings(name, none as ClusterConnectionStringsArgs, {
      ...options,
      id,
    });
  }

  /**
   * Looks up the connection strings of a cluster. Each is exactly as the service returns it, and `recommended` is the one
   * for the application's network. A preview knows them, unless the lookup waits or an argument is unknown.
   *
   * @param name the name of the resource
   * @param args the cluster, and which of its strings to recommend
   * @param options Pulumi's resource options, such as the provider to use
   */
  constructor(
    name: string,
    args: ClusterConnectionStringsArgs,
    options: pulumi.CustomResourceOptions = {},
  ) {
    // The engine calls `read` instead of `check` for an ID, and a unit test with mocks would see the inputs.
    const isChecked = options.id === undefined && !isMocked();
    const transformations = [...(options.transformations ?? []), lastTransformation(hiddenInputs)];
    super(
      "ClusterConnectionStrings",
      name,
      { ...args },
      outputs,
      isChecked ? { ...options, transformations } : options,
    );
  }
}

type PassedInputs = Omit<HiddenLookupInputs, "__cluster">;

/** Returns what only `check` uses, of the final arguments and options. */
function hiddenInputs({
  resource,
  props,
  opts,
}: pulumi.ResourceTransformationArgs): InputArgs<PassedInputs> {
  const bound = earliestRequest(props, opts, resource).then((after) => {
    // Only now are the parents registered, so that `mayBeTransformed` sees their transforms.
    return { after, mustBeRecent: mayBeTransformed(opts) };
  });
  return { __bound: bound };
}
