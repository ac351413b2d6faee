/** The kinds of string that a cluster can have, and their names in messages. */

/** The kind of a selected string: the name of the output that contains it. */
export type ConnectionStringKind =
  | "standard"
  | "standardSrv"
  | "private"
  | "privateSrv"
  | "privateEndpoint"
  | "privateEndpointSrv"
  | "privateEndpointOptimizedSrv";

/** The names of the kinds of string in messages. */
export const labels: Record<ConnectionStringKind, string> = {
  standard: "standard string (host list)",
  standardSrv: "standard string (SRV)",
  private: "peering-private string (host list)",
  privateSrv: "peering-private string (SRV)",
  privateEndpoint: "private endpoint string (host list)",
  privateEndpointSrv: "private endpoint string (SRV)",
  privateEndpointOptimizedSrv: "optimized private endpoint string (SRV)",
};
