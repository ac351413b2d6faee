/**
 * Resolves host names to addresses like the DNS of the service (service document 2.6, column
 * "Resolves to").
 */
import type { Cluster } from "../store/cluster";
import { digest } from "../store/derivedNames";
import type { Project } from "../store/project";
import { connectionStrings, type Naming } from "./generate";
import type { Resolution, Vantage } from "./resolvedHosts";
import type { ConnectionStrings } from "./strings";

/**
 * Resolves a connection string or host name.
 *
 * @param target a connection string, or a host name in one
 * @param from the network of the client
 * @param projects the projects whose clusters are searched
 * @param naming scheme and domain of the connection strings
 * @returns the cluster and its addresses, or undefined if no cluster has these hosts
 */
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

/** The addresses of a host. */
export interface Addresses {
  /** In 203.0.113.0/24 (public) or 10.0.0.0/8 (private). */
  readonly ipv4: string;
  /** In 2001:db8::/32 (public) or fd00::/8 (private). */
  readonly ipv6: string;
}

/**
 * Returns the addresses of a host of a cluster.
 *
 * @param host the host name, in lower case
 * @param from the network of the client
 * @param project the project of the cluster
 * @param cluster the cluster
 * @param strings the connection strings of the cluster
 * @returns the addresses; undefined if none of the strings contains the host
 */
export function addressesOf(
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
  const bytes = Buffer.from(digest(host), "hex");
  const [first = 0, second = 0, third = 0] = bytes;
  const last = 1 + (third % 254);
  return access === "public" ? `203.0.113.${last}` : `10.${first}.${second}.${last}`;
}

/** Derives a stable address from a host name: in 2001:db8::/32 (RFC 3849) or fd00::/8. */
function ipv6AddressOf(host: string, access: "public" | "private"): string {
  const [first = "", second = ""] = /^(.{4})(.{4})/.exec(digest(host))?.slice(1) ?? [];
  return `${access === "public" ? "2001:db8" : "fd00:0"}::${first}:${second}`;
}
