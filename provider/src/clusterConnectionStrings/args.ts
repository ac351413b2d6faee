/**
 * The arguments of a lookup. `GetConnectionStringsArgs` declares them; the types of the resource and of
 * `getConnectionStringsOutput` derive from it, and argsSchema.ts only compiles with a schema for each.
 */
import type { Network } from "clouddb-connection-strings";
import type { InputArgs, NestedInputs } from "../program/inputTypes";
import type * as pulumi from "../program/sdk";

/** The arguments of `getConnectionStrings`: a cluster, and which of its strings to recommend. */
export interface GetConnectionStringsArgs {
  /** The ID of the project. For the resource: a change replaces it. */
  readonly projectId: string;
  /** The name of the cluster. For the resource: a change replaces it. */
  readonly clusterName: string;
  /**
   * The network that the application runs in.
   *
   * @default { kind: "internet" }
   */
  readonly network?: Network | undefined;
  /**
   * SRV form, or the list of hosts.
   *
   * @default "srv"
   */
  readonly form?: "srv" | "hosts" | undefined;
  /**
   * For private endpoints of sharded clusters: `true` requires the optimized SRV string, `false`
   * excludes it (service document 2.6 rule 8).
   *
   * @default the optimized string if the endpoint has one
   */
  readonly optimized?: boolean | undefined;
}

/** The arguments of `getConnectionStringsOutput`, which may be outputs of other resources. */
export type GetConnectionStringsOutputArgs = InputArgs<GetConnectionStringsArgs>;

/** The arguments of the resource `ClusterConnectionStrings`. */
export interface ClusterConnectionStringsArgs extends InputArgs<GetConnectionStringsArgs> {
  /**
   * How long to wait for a string that does not exist yet, in seconds; at most 7200.
   *
   * @default 0: fail immediately
   */
  readonly waitSeconds?: pulumi.Input<number> | undefined;
}

/**
 * The network that an application runs in. Every field may be an output of another resource.
 *
 * @example { kind: "privateEndpoint", endpointId: endpoint.id }
 */
export type NetworkArgs = NestedInputs<Network>;
