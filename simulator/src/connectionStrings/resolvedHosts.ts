/** What `resolve` of a simulator takes and returns. */

/** The network of the client: the Internet, or a network peered with that of the cluster. */
export type Vantage = "internet" | "peeredNetwork";

/** The cluster behind a connection string, and its addresses. */
export interface Resolution {
  /** Project of the cluster. */
  readonly projectId: string;
  /** Name of the cluster. */
  readonly clusterName: string;
  /** Whether the addresses are public or private. */
  readonly access: "public" | "private";
  /** One IPv4 address for each host: in 203.0.113.0/24 (public) or 10.0.0.0/8 (private). */
  readonly addresses: readonly string[];
}
