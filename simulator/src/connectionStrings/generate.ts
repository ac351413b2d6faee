/** Generates the connection strings of a cluster: every kind in service document 2.6. */
import { providerLabels } from "../seed/fields";
import type { Settings } from "../seed/options";
import { type Cluster, type PrivateEndpoint, providerOf, regionsOf } from "../store/cluster";
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
 * Returns whether a private endpoint has an optimized SRV string (service document 2.6 rule 4). The
 * rule's condition on the driver version is not checked: only the client knows it.
 *
 * @param cluster the cluster of the endpoint
 * @param endpoint the endpoint
 * @returns true if it has an optimized string
 */
function hasOptimizedString(cluster: Cluster, { region }: PrivateEndpoint): boolean {
  return (
    isSharded(cluster) &&
    providerOf(cluster, region) === "A" &&
    Number.parseInt(cluster.version, 10) >= 5 &&
    (regionsOf(cluster).length === 1 || cluster.regionalizedPrivateEndpoints)
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
  const end = endOf(cluster, label, naming);
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
 * Returns the end of every host name of a cluster: the project label and the domain. Between them is the
 * label of the provider if a Free or Flex cluster has legacy strings (service document 2.6 rule 9), in its
 * other strings too: standard and legacy names differ in one character (rule 1).
 */
function endOf(cluster: Cluster, label: string, { domain }: Naming): string {
  const { tier, provider, legacyConnectionStrings } = cluster;
  const hasLabel = tier !== "DEDICATED" && legacyConnectionStrings;
  const providerLabel = hasLabel ? providerLabels.get(provider) : undefined;
  return [label, ...(providerLabel === undefined ? [] : [providerLabel]), domain].join(".");
}

function privateStrings(cluster: Cluster, label: string, naming: Naming): ConnectionStrings {
  const end = endOf(cluster, label, naming);
  return {
    private: hostList(cluster, `-pri.${end}`, naming),
    privateSrv: srv(`${cluster.hostName}-pri.${end}`, naming),
  };
}

function privateEndpointStrings(
  cluster: Cluster,
  endpoint: PrivateEndpoint,
  label: string,
  naming: Naming,
): PrivateEndpointStrings {
  const { index, endpointId, region } = endpoint;
  const isOptimized = hasOptimizedString(cluster, endpoint);
  const suffix = endOf(cluster, label, naming);
  const host = `pl-${index}-${region}`;
  return {
    connectionString: `${naming.scheme}://${host}.${suffix}:1024`,
    srvConnectionString: srv(
      cluster.regionalizedPrivateEndpoints
        ? `${cluster.hostName}-${host}.${suffix}`
        : `${host}.${suffix}`,
      naming,
    ),
    ...(isOptimized
      ? {
          srvShardOptimizedConnectionString: srv(
            `${cluster.hostName}-pl-${index}-lb.${suffix}`,
            naming,
          ),
        }
      : {}),
    shownByDefault:
      isOptimized && Date.parse(cluster.createdAt) >= optimizedStringsSince
        ? "srvShardOptimizedConnectionString"
        : "srvConnectionString",
    type: isSharded(cluster) ? "ROUTER" : "NODE",
    endpoints: [{ endpointId, providerName: providerOf(cluster, region), region }],
  };
}

function hostList(cluster: Cluster, suffix: string, naming: Naming): string {
  const hosts = nodesOf(cluster).map((node) => `${cluster.hostName}-shard-${node}${suffix}:27017`);
  const [replicaSet = ""] = replicaSetNames(cluster);
  // Clients of a sharded cluster connect to its routers, not to a replica set.
  const options = isSharded(cluster) ? "" : `/?replicaSet=${replicaSet}`;
  return `${naming.scheme}://${hosts.join(",")}${options}`;
}

/**
 * Returns the nodes of a cluster as in its host names, such as `00-02`: each has one (service document 1
 * rule 8). The hundredth is `01-00`, since the index of a node has two digits.
 */
function nodesOf({ firstNode, nodes, additionalRegions }: Cluster): string[] {
  const twoDigits = (number: number) => String(number).padStart(2, "0");
  return Array.from({ length: nodes + additionalRegions.length }, (_, at) => {
    const index = firstNode + at;
    return `${twoDigits(Math.floor(index / 100))}-${twoDigits(index % 100)}`;
  });
}

function srv(host: string, naming: Naming): string {
  return `${naming.scheme}+srv://${host}`;
}
