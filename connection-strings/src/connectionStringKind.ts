/** The kinds of strings that `select` returns, and their names in messages. */

/** The kind of a selected string (service document 2.6): the name of the output that contains it. */
export type ConnectionStringKind =
  /** The host list for the Internet. */
  | "standard"
  /** The SRV form for the Internet. */
  | "standardSrv"
  /** The host list for peered networks. */
  | "private"
  /** The SRV form for peered networks. */
  | "privateSrv"
  /** The host list of a private endpoint. */
  | "privateEndpoint"
  /** The plain SRV form of a private endpoint. */
  | "privateEndpointSrv"
  /** The optimized SRV form of a private endpoint, with `lb` in its host name. */
  | "privateEndpointOptimizedSrv";

/** The name of each kind in messages. */
export const kindLabels: Record<ConnectionStringKind, string> = {
  standard: "standard string (host list)",
  standardSrv: "standard string (SRV)",
  private: "peering-private string (host list)",
  privateSrv: "peering-private string (SRV)",
  privateEndpoint: "private endpoint string (host list)",
  privateEndpointSrv: "private endpoint string (SRV)",
  privateEndpointOptimizedSrv: "optimized private endpoint string (SRV)",
};
