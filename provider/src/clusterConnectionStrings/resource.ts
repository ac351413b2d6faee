/** The ClusterConnectionStrings resource that a Pulumi program uses. */
import * as pulumi from "../program/sdk";
import { absentAsUndefined } from "../program/absentOutputs";
import { warnOfPlainSecrets } from "../program/plainSecrets";
import { providerText } from "../program/providerText";
import { pauseStackTraces } from "../program/stackTraces";
import type { PrivateEndpointStrings } from "clouddb-connection-strings";
import type { ConnectionStringKind } from "clouddb-connection-strings";

/**
 * Where the application runs; every field may be an output of another resource.
 *
 * @example { kind: "privateEndpoint", endpointId: endpoint.id }
 */
export type NetworkArgs =
  | { readonly kind: pulumi.Input<"internet"> }
  /** A virtual network peered with the cluster's. */
  | { readonly kind: pulumi.Input<"peering"> }
  /** A virtual network with a private endpoint; its id or region selects one of several. */
  | {
      readonly kind: pulumi.Input<"privateEndpoint">;
      readonly endpointId?: pulumi.Input<string> | undefined;
      readonly region?: pulumi.Input<string> | undefined;
    };

export interface ClusterConnectionStringsArgs {
  /** Changing the project or the cluster replaces the resource. */
  readonly projectId: pulumi.Input<string>;
  readonly clusterName: pulumi.Input<string>;
  /** Where the application runs. Default: `{ kind: "internet" }`. */
  readonly network?: pulumi.Input<NetworkArgs> | undefined;
  /** SRV form or the list of hosts. Default: `srv`. */
  readonly form?: pulumi.Input<"srv" | "hosts"> | undefined;
  /**
   * For private endpoints of sharded clusters: `true` requires the optimized SRV string, `false`
   * excludes it. Default: the optimized string if the endpoint has one (service document 2.6 rule 8).
   */
  readonly optimized?: pulumi.Input<boolean> | undefined;
  /** How long to wait for a string that does not exist yet, in seconds. Default: 0, fail immediately. */
  readonly waitSeconds?: pulumi.Input<number> | undefined;
}

type Text = pulumi.Output<string | undefined>;

/**
 * Looks up the connection strings of a cluster. Each is exactly as the service returns it, and
 * `recommended` is the one for the application's network (service document 2.6). All are already known
 * in a preview.
 */
export class ClusterConnectionStrings extends pulumi.CustomResource {
  declare readonly projectId: pulumi.Output<string>;
  declare readonly clusterName: pulumi.Output<string>;
  /** The string for the requested network and form. */
  declare readonly recommended: pulumi.Output<string>;
  declare readonly recommendedKind: pulumi.Output<ConnectionStringKind>;
  declare readonly standard: Text;
  declare readonly standardSrv: Text;
  /** For peered networks. */
  declare readonly private: Text;
  declare readonly privateSrv: Text;
  /** Kept by clusters created before 31 March 2020. */
  declare readonly legacy: Text;
  declare readonly legacySrv: Text;
  declare readonly privateEndpoints: pulumi.Output<PrivateEndpointStrings[]>;
  /** Full version, `<major>.<minor>.<patch>`. */
  declare readonly databaseVersion: Text;
  /** All other fields that the service returned, such as strings of a form that its document lacks. */
  declare readonly others: pulumi.Output<Record<string, unknown> | undefined>;

  /** Looks up an existing cluster by `<projectId>/<clusterName>`, for the Internet in SRV form. */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    options?: pulumi.CustomResourceOptions,
  ): ClusterConnectionStrings {
    return new ClusterConnectionStrings(name, undefined, { ...options, id });
  }

  constructor(
    name: string,
    args: ClusterConnectionStringsArgs | undefined,
    options?: pulumi.CustomResourceOptions,
  ) {
    warnOfPlainSecrets();
    const properties = {
      ...outputs,
      ...args,
      __provider: providerText("clusterConnectionStrings"),
    };
    const type = "pulumi-nodejs:dynamic/clouddb:ClusterConnectionStrings";
    const traces = pauseStackTraces();
    try {
      super(type, name, properties, options);
      this.standard = absentAsUndefined(this.standard);
      this.standardSrv = absentAsUndefined(this.standardSrv);
      this.private = absentAsUndefined(this.private);
      this.privateSrv = absentAsUndefined(this.privateSrv);
      this.legacy = absentAsUndefined(this.legacy);
      this.legacySrv = absentAsUndefined(this.legacySrv);
      this.databaseVersion = absentAsUndefined(this.databaseVersion);
      this.others = absentAsUndefined(this.others);
    } catch (error) {
      throw traces.traced(error);
    } finally {
      traces.resume();
    }
  }
}

/** The SDK only creates outputs for properties that are passed to it, so every output is listed. */
const outputs = {
  projectId: undefined,
  clusterName: undefined,
  recommended: undefined,
  recommendedKind: undefined,
  standard: undefined,
  standardSrv: undefined,
  private: undefined,
  privateSrv: undefined,
  legacy: undefined,
  legacySrv: undefined,
  privateEndpoints: undefined,
  databaseVersion: undefined,
  others: undefined,
};
