/** What `resolve` of a simulator takes and returns. */
import type { Answer, RecordType } from "dns-packet";
import { type ConnectionStrings, type Naming, connectionStrings } from "../connectionStrings";
import { type Cluster, sha256 } from "../store/cluster";
import type { Project } from "../store/projects";

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

/** @internal */
export function resolveTarget(
  target: string,
  from: Vantage,
  projects: readonly Project[],
  naming: Naming,
): Resolution | undefined {
  const hosts = target.includes("://") ? hostsOf(target) : [target];
  for (const project of projects) {
    for (const cluster of project.clusters) {
      const strings = connectionStrings(cluster, project.label, naming);
      const access = accessTo(hosts, from, project, cluster, strings);
      if (access === undefined) continue;
      const addresses = hosts.map((host) => addressOf(host, access));
      return { projectId: project.id, clusterName: cluster.name, access, addresses };
    }
  }
  return undefined;
}

export interface Addresses {
  /** In 203.0.113.0/24 (public) or 10.0.0.0/8 (private). */
  readonly ipv4: string;
  /** In 2001:db8::/32 (public) or fd00::/8 (private). */
  readonly ipv6: string;
}

/** Returns the addresses of a host of a cluster. */
function addressesOf(
  host: string,
  from: Vantage,
  project: Project,
  cluster: Cluster,
  strings: ConnectionStrings,
): Addresses | undefined {
  const access = accessTo([host], from, project, cluster, strings);
  if (access === undefined) return undefined;
  return { ipv4: addressOf(host, access), ipv6: ipv6AddressOf(host, access) };
}

/** Returns the kind of address that the hosts resolve to; undefined if they are not of this cluster. */
function accessTo(
  hosts: readonly string[],
  from: Vantage,
  project: Project,
  cluster: Cluster,
  strings: ConnectionStrings,
): Resolution["access"] | undefined {
  const matches = (...uris: (string | undefined)[]) =>
    hosts.every((host) => uris.some((uri) => uri !== undefined && hostsOf(uri).includes(host)));
  const isEndpoint = (strings.privateEndpoint ?? []).some((endpoint) =>
    matches(
      endpoint.connectionString,
      endpoint.srvConnectionString,
      endpoint.srvShardOptimizedConnectionString,
    ),
  );
  if (isEndpoint || matches(strings.private, strings.privateSrv)) return "private";
  if (matches(strings.legacy, strings.legacySrv)) {
    return project.privateIpMode.enabled ? "private" : "public";
  }
  if (!matches(strings.standard, strings.standardSrv)) return undefined;
  // In provider A only, the standard name resolves to private addresses in a peered network.
  const isPrivate = from === "peeredNetwork" && cluster.peering && cluster.provider === "A";
  return isPrivate ? "private" : "public";
}

/** Returns the host names of a connection string, without ports. */
function hostsOf(uri: string): string[] {
  const [, authority = ""] = /:\/\/(?:[^@/]*@)?([^/?]*)/.exec(uri) ?? [];
  return authority.split(",").map((host) => host.replace(/:\d+$/, ""));
}

/** Derives a stable address from a host name: in 203.0.113.0/24 (RFC 5737) or 10.0.0.0/8. */
function addressOf(host: string, access: "public" | "private"): string {
  const bytes = Buffer.from(sha256(host), "hex");
  const [first = 0, second = 0, third = 0] = bytes;
  const last = 1 + (third % 254);
  return access === "public" ? `203.0.113.${last}` : `10.${first}.${second}.${last}`;
}

/** Derives a stable address from a host name: in 2001:db8::/32 (RFC 3849) or fd00::/8. */
function ipv6AddressOf(host: string, access: "public" | "private"): string {
  const [first = "", second = ""] = /^(.{4})(.{4})/.exec(sha256(host))?.slice(1) ?? [];
  return `${access === "public" ? "2001:db8" : "fd00:0"}::${first}:${second}`;
}

/** @internal */
export type ZoneAnswer =
  /** The name exists. There may be no record of the requested type. */
  | { readonly kind: "name"; readonly records: readonly Answer[] }
  /** The name is in the cluster domain, but does not exist. */
  | { readonly kind: "noName" }
  /** The name is in another domain. */
  | { readonly kind: "otherDomain" };

/** A question about a name in any case, with or without the final dot. @internal */
export interface ZoneQuestion {
  /** The name. */
  readonly name: string;
  /** The type of the requested records. */
  readonly type: RecordType;
}

/** How long a client may cache a record, in seconds. Short, because the private IP mode may change. */
const ttl = 10;

/** @internal */
export function answerQuestion(
  { name, type }: ZoneQuestion,
  from: Vantage,
  projects: readonly Project[],
  naming: Naming,
): ZoneAnswer {
  const wanted = name.toLowerCase().replace(/\.$/, "");
  if (wanted === naming.domain) return { kind: "name", records: [] };
  if (!wanted.endsWith(`.${naming.domain}`)) return { kind: "otherDomain" };
  for (const project of projects) {
    // Every name contains the label of its project.
    if (!wanted.includes(project.label)) continue;
    for (const cluster of project.clusters) {
      const strings = connectionStrings(cluster, project.label, naming);
      const services = servicesOf(strings, naming.scheme);
      const addresses = addressesOf(wanted, from, project, cluster, strings);
      const records = recordsOf({ name, type }, wanted, services, addresses);
      if (records !== undefined) return { kind: "name", records };
    }
  }
  return { kind: "noName" };
}

/** Returns the authority record of answers without other records. @internal */
export function startOfAuthority(domain: string): Answer {
  const data = {
    mname: `ns.${domain}`,
    rname: `hostmaster.${domain}`,
    serial: 1,
    refresh: 3600,
    retry: 600,
    expire: 86_400,
    minimum: ttl,
  };
  return { type: "SOA", name: domain, ttl, data };
}

/** An SRV name and the hosts behind it. */
interface SrvService {
  readonly srvName: string;
  /** The name of its SRV records. */
  readonly serviceName: string;
  readonly hosts: readonly { readonly name: string; readonly port: number }[];
  /** The TXT record of the SRV name. */
  readonly options: string;
}

/** Returns the records of a name; undefined if the name does not exist. */
function recordsOf(
  { name, type }: ZoneQuestion,
  wanted: string,
  services: readonly SrvService[],
  addresses: Addresses | undefined,
): Answer[] | undefined {
  const service = services.find(({ serviceName }) => wanted === serviceName);
  if (service !== undefined) return type === "SRV" ? srvRecords(name, service) : [];
  if (addresses === undefined) {
    const names = services.flatMap(({ serviceName, hosts }) => [
      serviceName,
      ...hosts.map((host) => host.name),
    ]);
    // A parent of an existing name also exists, but has no records.
    return names.some((longer) => longer.endsWith(`.${wanted}`)) ? [] : undefined;
  }
  const options = services.find(({ srvName }) => wanted === srvName)?.options;
  if (type === "TXT" && options !== undefined) return [{ type, name, ttl, data: options }];
  if (type === "A") return [{ type, name, ttl, data: addresses.ipv4 }];
  if (type === "AAAA") return [{ type, name, ttl, data: addresses.ipv6 }];
  return [];
}

function srvRecords(name: string, { hosts }: SrvService): Answer[] {
  return hosts.map(({ name: target, port }) => {
    return { type: "SRV", name, ttl, data: { priority: 0, weight: 0, port, target } };
  });
}

/** Pairs each SRV string of a cluster with the host list of the same kind. */
function servicesOf(strings: ConnectionStrings, scheme: string): SrvService[] {
  const pairs: [srv: string | undefined, hosts: string | undefined][] = [
    [strings.standardSrv, strings.standard],
    [strings.privateSrv, strings.private],
    [strings.legacySrv, strings.legacy],
    ...(strings.privateEndpoint ?? []).flatMap(
      (endpoint): [string | undefined, string | undefined][] => [
        [endpoint.srvConnectionString, endpoint.connectionString],
        [
          endpoint.srvShardOptimizedConnectionString,
          loadBalancerOf(endpoint.srvShardOptimizedConnectionString),
        ],
      ],
    ),
  ];
  return pairs.flatMap(([srv, list]) =>
    srv === undefined || list === undefined ? [] : [serviceOf(srv, list, scheme)],
  );
}

/**
 * Returns the host list of an optimized SRV string: a load balancer at the same name, which refuses clients without
 * `loadBalanced`. The service document specifies neither.
 */
function loadBalancerOf(srv: string | undefined): string | undefined {
  const list = srv?.replace("+srv", "");
  return list && `${list}:1024/?authSource=admin&loadBalanced=true`;
}

function serviceOf(srv: string, list: string, scheme: string): SrvService {
  const [, authority = "", options = ""] = /:\/\/([^/?]*)(?:\/?\?(.*))?$/.exec(list) ?? [];
  const hosts = authority.split(",").map((host) => {
    const [name = "", port = ""] = host.split(":");
    return { name, port: Number(port) };
  });
  const srvName = srv.replace(/^.*:\/\//, "");
  return {
    srvName,
    serviceName: `_${scheme}._tcp.${srvName}`,
    hosts,
    // Drivers refuse every option in a TXT record except for authSource, replicaSet and loadBalanced.
    options: options.replace(/^ssl=true&/, ""),
  };
}
