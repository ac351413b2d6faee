/** The `connectionStrings` object of a cluster (service document 2.6). */
import type { CloudProvider } from "../seed/clusterFormat";

/** The endpoint of an entry of `privateEndpoint`. */
export interface StringsEndpoint {
  /** ID of the endpoint at the cloud provider. */
  readonly endpointId: string;
  /** Cloud provider of the endpoint. */
  readonly providerName: CloudProvider;
  /** Region of the endpoint. */
  readonly region: string;
}

/** The connection strings of one private endpoint. */
export interface PrivateEndpointStrings {
  /** Host-list form. */
  readonly connectionString: string;
  /** SRV form. */
  readonly srvConnectionString: string;
  /** Optimized SRV form (service document 2.6 rule 4). */
  readonly srvShardOptimizedConnectionString?: string;
  /** The field that the connect view shows by default (service document 2.6 rule 8). */
  readonly shownByDefault: "srvConnectionString" | "srvShardOptimizedConnectionString";
  /** Target of the load balancer: the routers of a sharded cluster, or the nodes of a replica set. */
  readonly type: "NODE" | "ROUTER";
  /** The endpoint of these strings: one entry. */
  readonly endpoints: readonly StringsEndpoint[];
}

/** The connection strings of a cluster. Strings that do not exist, or not yet, are absent. */
export interface ConnectionStrings {
  /** Standard string, host-list form. */
  readonly standard?: string;
  /** Standard string, SRV form. */
  readonly standardSrv?: string;
  /** Peering-private string, host-list form. */
  readonly private?: string;
  /** Peering-private string, SRV form. */
  readonly privateSrv?: string;
  /** Legacy string, host-list form. */
  readonly legacy?: string;
  /** Legacy string, SRV form. */
  readonly legacySrv?: string;
  /** One entry for each private endpoint. */
  readonly privateEndpoint?: readonly PrivateEndpointStrings[];
}
