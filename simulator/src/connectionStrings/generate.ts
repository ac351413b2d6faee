// The connection strings of a cluster: every kind of service document 2.6, from the cluster alone.
import type { Cluster } from "../world/cluster";

/** What the host names and schemes of a service are made of. */
export interface Naming {
  /** `<db_scheme>`, e.g. `db`; the SRV scheme is `db+srv`. */
  readonly scheme: string;
  /** `<domain>`: the cluster domain of the service. */
  readonly domain: string;
}

export interface PrivateEndpointStrings {
  readonly connectionString: string;
  readonly srvConnectionString: string;
  readonly srvShardOptimizedConnectionString?: string;
  /** What the load balancer leads to: routers of a sharded cluster, or nodes of a replica set. */
  readonly type: "NODE" | "ROUTER";
  readonly endpoints: readonly {
    readonly endpointId: string;
    readonly providerName: string;
    readonly region: string;
  }[];
}

export interface ConnectionStrings {
  readonly standard?: string;
  readonly standardSrv?: string;
  readonly private?: string;
  readonly privateSrv?: string;
  readonly legacy?: string;
  readonly legacySrv?: string;
  readonly privateEndpoint?: readonly PrivateEndpointStrings[];
}

/**
 * The strings that the API shows of a cluster: none of a kind that is still pending.
 *
 * @param label `<project_hash>`, the project's label in host names
 */
export function connectionStrings(
  cluster: Cluster,
  label: string,
  naming: Naming,
): ConnectionStrings {
  const pending = new Set(cluster.pendingStrings);
  return {
    ...(pending.has("standard") ? {} : standardStrings(cluster, label, naming)),
    // Rule 3: only with network peering.
    ...(cluster.peering && !pending.has("private") ? privateStrings(cluster, label, naming) : {}),
    ...(pending.has("privateEndpoint")
      ? {}
      : {
          privateEndpoint: cluster.privateEndpoints.map((_, at) =>
            privateEndpointStrings(cluster, at, label, naming),
          ),
        }),
  };
}

/** Rule 4, as far as a server can see it: the driver's version is the client's to know. */
export function hasOptimizedString(cluster: Cluster): boolean {
  return (
    isSharded(cluster) &&
    cluster.provider === "A" &&
    Number.parseInt(cluster.version, 10) >= 5 &&
    cluster.privateEndpoints.length > 0 &&
    (cluster.regions.length === 1 || cluster.regionalizedPrivateEndpoints)
  );
}

export function isSharded(cluster: Cluster): boolean {
  return cluster.type !== "REPLICASET";
}

/**
 * Names of the replica set, or of each shard. Those of new clusters are not derived from the
 * cluster's name (rule 2).
 */
export function replicaSetNames(cluster: Cluster): string[] {
  const stem = cluster.legacyConnectionStrings ? cluster.hostName : cluster.shardId;
  const count = isSharded(cluster) ? cluster.shards : 1;
  return Array.from({ length: count }, (_, shard) => `${stem}-shard-${shard}`);
}

function standardStrings(cluster: Cluster, label: string, naming: Naming): ConnectionStrings {
  const { domain } = naming;
  return {
    standard: hostList(cluster, `.${label}.${domain}`, naming),
    standardSrv: srv(`${cluster.hostName}.${label}.${domain}`, naming),
    // Rules 1 and 7: a hyphen in place of the period; kept for as long as the cluster exists.
    ...(cluster.legacyConnectionStrings
      ? {
          legacy: hostList(cluster, `-${label}.${domain}`, naming),
          legacySrv: srv(`${cluster.hostName}-${label}.${domain}`, naming),
        }
      : {}),
  };
}

function privateStrings(cluster: Cluster, label: string, naming: Naming): ConnectionStrings {
  return {
    private: hostList(cluster, `-pri.${label}.${naming.domain}`, naming),
    privateSrv: srv(`${cluster.hostName}-pri.${label}.${naming.domain}`, naming),
  };
}

function privateEndpointStrings(
  cluster: Cluster,
  at: number,
  label: string,
  naming: Naming,
): PrivateEndpointStrings {
  const endpoint = cluster.privateEndpoints[at];
  if (!endpoint) throw new RangeError(`Cluster ${cluster.name} has no private endpoint ${at}.`);
  const { index, endpointId, region } = endpoint;
  const end = `${label}.${naming.domain}`;
  const host = `pl-${index}-${region}`;
  return {
    connectionString: `${naming.scheme}://${host}.${end}:1024`,
    srvConnectionString: srv(
      cluster.regionalizedPrivateEndpoints
        ? `${cluster.hostName}-${host}.${end}`
        : `${host}.${end}`,
      naming,
    ),
    ...(hasOptimizedString(cluster)
      ? {
          srvShardOptimizedConnectionString: srv(
            `${cluster.hostName}-pl-${index}-lb.${end}`,
            naming,
          ),
        }
      : {}),
    type: isSharded(cluster) ? "ROUTER" : "NODE",
    endpoints: [{ endpointId, providerName: cluster.provider, region }],
  };
}

function hostList(cluster: Cluster, end: string, naming: Naming): string {
  const hosts = ["00", "01", "02"].map(
    (node) => `${cluster.hostName}-shard-00-${node}${end}:27017`,
  );
  const [replicaSet = ""] = replicaSetNames(cluster);
  // Routers of a sharded cluster are reached without the name of a replica set.
  const options = isSharded(cluster) ? "" : `/?replicaSet=${replicaSet}`;
  return `${naming.scheme}://${hosts.join(",")}${options}`;
}

function srv(host: string, naming: Naming): string {
  return `${naming.scheme}+srv://${host}`;
}
