/** The `connectionStrings` object of a cluster (service document 2.6). */
import { providerLabels, providerNames, regionName } from "./seed/cluster";
import type { Settings } from "./seed/settings";
import { type Cluster, type PrivateEndpoint, providerOf, regionsOf } from "./store/cluster";

/** When the optimized string became the default (service document 2.6 rule 8), for which no date is shown. */
const optimizedStringsSince = Date.parse("2022-01-01T00:00:00Z");

/** What the names in all connection strings depend on. @internal */
export type Naming = Pick<Settings, "profile" | "scheme" | "domain">;

/** Returns the strings of a cluster. Those that do not exist, or not yet, are absent. @internal */
export function connectionStrings(cluster: Cluster, label: string, naming: Naming) {
  const { hostName, pendingStrings } = cluster;
  const end = endOf(cluster, label, naming);
  const hasStandard = !pendingStrings.includes("standard");
  return {
    ...(hasStandard && {
      standard: hostList(cluster, `.${end}`, naming),
      standardSrv: srv(`${hostName}.${end}`, naming),
    }),
    // Service document 2.6 rules 1 and 7: a hyphen instead of the period, and never removed.
    ...(hasStandard &&
      cluster.legacyConnectionStrings && {
        legacy: hostList(cluster, `-${end}`, naming),
        legacySrv: srv(`${hostName}-${end}`, naming),
      }),
    // Service document 2.6 rule 3.
    ...(cluster.peering &&
      !pendingStrings.includes("private") && {
        private: hostList(cluster, `-pri.${end}`, naming),
        privateSrv: srv(`${hostName}-pri.${end}`, naming),
      }),
    ...(!pendingStrings.includes("privateEndpoint") && {
      privateEndpoint: cluster.privateEndpoints.map((endpoint) =>
        privateEndpointStrings(cluster, endpoint, end, naming),
      ),
    }),
  };
}

/** Service document 2.6 rule 4, without the version of the driver, which only the client knows. */
function hasOptimizedString(cluster: Cluster, endpoint: PrivateEndpoint): boolean {
  return (
    isSharded(cluster) &&
    providerOf(cluster, endpoint) === "A" &&
    Number.parseInt(cluster.version, 10) >= 5 &&
    (regionsOf(cluster).length === 1 || cluster.regionalizedPrivateEndpoints)
  );
}

function isSharded(cluster: Cluster): boolean {
  return cluster.type !== "REPLICASET";
}

/**
 * Returns the name of the replica set, or of the replica set of each shard. Clusters with legacy strings use their host
 * name, all others an ID (service document 2.6 rule 2).
 * @internal
 */
export function replicaSetNames(cluster: Cluster): string[] {
  const stem = cluster.legacyConnectionStrings ? cluster.hostName : cluster.shardId;
  const count = isSharded(cluster) ? cluster.shards : 1;
  return Array.from({ length: count }, (_, shard) => `${stem}-shard-${shard}`);
}

/**
 * Returns the end of every host name of a cluster: the project label and the domain. Between them is the label of the
 * provider if a Free or Flex cluster has legacy strings (service document 2.6 rule 9). Its other strings also contain
 * the label, because standard and legacy names differ in one character (rule 1).
 */
function endOf(cluster: Cluster, label: string, { domain }: Naming): string {
  const { tier, provider, legacyConnectionStrings } = cluster;
  const hasLabel = tier !== "DEDICATED" && legacyConnectionStrings;
  const providerLabel = hasLabel ? providerLabels.get(provider) : undefined;
  return [label, ...(providerLabel === undefined ? [] : [providerLabel]), domain].join(".");
}

function privateEndpointStrings(
  cluster: Cluster,
  endpoint: PrivateEndpoint,
  end: string,
  naming: Naming,
) {
  const { profile } = naming;
  const { index, endpointId, region, recordRegion = regionName(region, profile) } = endpoint;
  const { hostName, regionalizedPrivateEndpoints } = cluster;
  const provider = providerOf(cluster, endpoint);
  const isAtlas = profile === "atlas";
  const label = isAtlas && providerLabels.get(provider);
  const { hostRegion = label ? `${region}-${label}` : region } = endpoint;
  const [node, router] = isAtlas ? ["MONGOD", "MONGOS"] : ["NODE", "ROUTER"];
  const isOptimized = hasOptimizedString(cluster, endpoint);
  const isNew = Date.parse(cluster.createdAt) >= optimizedStringsSince;
  const host = `pl-${index}-${hostRegion}.${end}`;
  const hosts = (endpoint.portMapped ? nodesOf(cluster) : [""]).map(
    (_, at) => `${host}:${1024 + at}`,
  );
  const plainSrv = regionalizedPrivateEndpoints ? `${hostName}-${host}` : host;
  const srvName = endpoint.portMapped ? `${hostName}-psc-${index}.${end}` : plainSrv;
  return {
    connectionString: `${naming.scheme}://${hosts.join(",")}${hostListOptions(cluster)}`,
    srvConnectionString: srv(srvName, naming),
    ...(isOptimized && {
      srvShardOptimizedConnectionString: srv(`${hostName}-pl-${index}-lb.${end}`, naming),
    }),
    // What the connect view shows (service document 2.6 rule 8).
    shownByDefault:
      isOptimized && isNew ? "srvShardOptimizedConnectionString" : "srvConnectionString",
    // The target of the load balancer.
    type: isSharded(cluster) ? router : node,
    endpoints: [
      { endpointId, providerName: providerNames[profile][provider], region: recordRegion },
    ],
  };
}

function hostList(cluster: Cluster, suffix: string, naming: Naming): string {
  const hosts = nodesOf(cluster).map((node) => `${cluster.hostName}-shard-${node}${suffix}:27017`);
  return `${naming.scheme}://${hosts.join(",")}${hostListOptions(cluster)}`;
}

/** Returns the options of a host list. Drivers connect without TLS unless it asks for TLS; SRV strings imply it. */
function hostListOptions(cluster: Cluster): string {
  // Clients of a sharded cluster connect to its routers, not to a replica set.
  const replicaSets = isSharded(cluster) ? [] : replicaSetNames(cluster);
  return `/?${["ssl=true", "authSource=admin", ...replicaSets.map((name) => `replicaSet=${name}`)].join("&")}`;
}

/** The nodes, such as `00-02` (service document 1 rule 8). The hundredth is `01-00`, with two digits for an index. */
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
