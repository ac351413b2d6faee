/** Generates the connection strings of a cluster: every kind in service document 2.6. */
import { providerLabels } from "../seed/fields";
import type { Settings } from "../seed/options";
import type { Cluster, PrivateEndpoint } from "../store/cluster";
import type { ConnectionStrings, PrivateEndpointStrings } from "./strings";

/**
 * Clusters created since then show the optimized string by default (service document 2.6 rule 8). The
 * document does not say when the feature was released.
 */
const optimizedStringsSince = Date.parse("2022-01-01T00:00:00Z");

/** Scheme and domain of connection strings: the same for all clusters. */
export type Naming = Pick<Settings, "scheme" | "domain">;

/**
 * Generates the strings of a cluster, except for the kinds in its `pendingStrings`.
 *
 * @param cluster the cluster
 * @param label `<project_hash>`: the label of the project in host names
 * @param naming scheme and domain
 * @returns the strings, as in API responses
 * @example connectionStrings(cluster, "ab12c", { scheme: "db", domain: "clusters.example" })
 */
export function connectionStrings(
  cluster: Cluster,
  label: string,
  naming: Naming,
): ConnectionStrings {
  const pending = new Set(cluster.pendingStrings);
  return {
    ...(pending.has("standard") ? {} : standardStrings(cluster, label, naming)),
    // Service document 2.6 rule 3.
    ...(cluster.peering && !pending.has("private") ? privateStrings(cluster, label, naming) : {}),
    ...(pending.has("privateEndpoint")
      ? {}
      : {
          privateEndpoint: cluster.privateEndpoints.map((endpoint) =>
            privateEndpointStrings(cluster, endpoint, label, naming),
          ),
        }),
  };
}

/**
 * Returns whether a cluster has optimized SRV strings (service document 2.6 rule 4). The rule's
 * condition on the driver version is not checked: only the client knows it.
 *
 * @param cluster the cluster
 * @returns true if it has optimized strings
 */
function hasOptimizedString(cluster: Cluster): boolean {
  return (
    isSharded(cluster) &&
    cluster.provider === "A" &&
    Number.parseInt(cluster.version, 10) >= 5 &&
    cluster.privateEndpoints.length > 0 &&
    (cluster.regions.length === 1 || cluster.regionalizedPrivateEndpoints)
  );
}

/**
 * Returns whether a cluster is sharded.
 *
 * @param cluster the cluster
 * @returns true for every type except a replica set
 */
function isSharded(cluster: Cluster): boolean {
  return cluster.type !== "REPLICASET";
}

/**
 * Returns the name of the replica set, or of the replica set of each shard. Clusters with legacy
 * strings use their host name, all others an ID (service document 2.6 rule 2).
 *
 * @param cluster the cluster
 * @returns one name, or one for each shard
 */
export function replicaSetNames(cluster: Cluster): string[] {
  const stem = cluster.legacyConnectionStrings ? cluster.hostName : cluster.shardId;
  const count = isSharded(cluster) ? cluster.shards : 1;
  return Array.from({ length: count }, (_, shard) => `${stem}-shard-${shard}`);
}

function standardStrings(cluster: Cluster, label: string, naming: Naming): ConnectionStrings {
  const end = `${label}.${clusterDomain(cluster, naming)}`;
  return {
    standard: hostList(cluster, `.${end}`, naming),
    standardSrv: srv(`${cluster.hostName}.${end}`, naming),
    // Service document 2.6 rules 1 and 7: a hyphen instead of the period, and never removed.
    ...(cluster.legacyConnectionStrings
      ? {
          legacy: hostList(cluster, `-${end}`, naming),
          legacySrv: srv(`${cluster.hostName}-${end}`, naming),
        }
      : {}),
  };
}

/**
 * Returns the domain of a cluster's hosts. A Free or Flex cluster with legacy strings has the label of
 * its provider before the domain (service document 2.6 rule 9) in every string: rule 1 allows no other
 * difference between the legacy and the standard string than the hyphen.
 */
function clusterDomain(cluster: Cluster, { domain }: Naming): string {
  const { tier, provider, legacyConnectionStrings } = cluster;
  const hasLabel = tier !== "DEDICATED" && legacyConnectionStrings;
  const providerLabel = hasLabel ? providerLabels.get(provider) : undefined;
  return providerLabel === undefined ? domain : `${providerLabel}.${domain}`;
}

function privateStrings(cluster: Cluster, label: string, naming: Naming): ConnectionStrings {
  const end = `-pri.${label}.${clusterDomain(cluster, naming)}`;
  return {
    private: hostList(cluster, end, naming),
    privateSrv: srv(`${cluster.hostName}${end}`, naming),
  };
}

function privateEndpointStrings(
  cluster: Cluster,
  { index, endpointId, region }: PrivateEndpoint,
  label: string,
  naming: Naming,
): PrivateEndpointStrings {
  const suffix = `${label}.${naming.domain}`;
  const host = `pl-${index}-${region}`;
  return {
    connectionString: `${naming.scheme}://${host}.${suffix}:1024`,
    srvConnectionString: srv(
      cluster.regionalizedPrivateEndpoints
        ? `${cluster.hostName}-${host}.${suffix}`
        : `${host}.${suffix}`,
      naming,
    ),
    ...(hasOptimizedString(cluster)
      ? {
          srvShardOptimizedConnectionString: srv(
            `${cluster.hostName}-pl-${index}-lb.${suffix}`,
            naming,
          ),
        }
      : {}),
    shownByDefault:
      hasOptimizedString(cluster) && Date.parse(cluster.createdAt) >= optimizedStringsSince
        ? "srvShardOptimizedConnectionString"
        : "srvConnectionString",
    type: isSharded(cluster) ? "ROUTER" : "NODE",
    endpoints: [{ endpointId, providerName: cluster.provider, region }],
  };
}

function hostList(cluster: Cluster, suffix: string, naming: Naming): string {
  const hosts = ["00", "01", "02"].map(
    (node) => `${cluster.hostName}-shard-00-${node}${suffix}:27017`,
  );
  const [replicaSet = ""] = replicaSetNames(cluster);
  // Clients of a sharded cluster connect to its routers, not to a replica set.
  const options = isSharded(cluster) ? "" : `/?replicaSet=${replicaSet}`;
  return `${naming.scheme}://${hosts.join(",")}${options}`;
}

function srv(host: string, naming: Naming): string {
  return `${naming.scheme}+srv://${host}`;
}
