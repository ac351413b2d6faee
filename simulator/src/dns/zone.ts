/** The DNS records of the host names in connection strings. */
import type { Answer, RecordType } from "dns-packet";
import { type Naming, connectionStrings } from "../connectionStrings";
import { type Cluster, sha256 } from "../store/cluster";
import type { Project } from "../store/projects";

/** The network of the client: the Internet, or a network peered with that of the cluster. */
export type Vantage = "internet" | "peeredNetwork";

/** The names of a connection string in both forms. */
interface NameGroup {
  readonly srvName: string;
  /** The hosts behind the SRV name. */
  readonly hosts: readonly { readonly name: string; readonly port: number }[];
  /** The SRV name and the hosts. */
  readonly names: readonly string[];
  /** The TXT record of the SRV name. */
  readonly options: string;
  /** Whether the names resolve to private addresses. */
  readonly isPrivate: (from: Vantage) => boolean;
}

/** Returns the names of all connection strings of a cluster. */
function groupsOf(cluster: Cluster, project: Project, naming: Naming): NameGroup[] {
  const strings = connectionStrings(cluster, project.label, naming);
  // In provider A only, the standard name resolves to private addresses in a peered network.
  const isPeeredInA = cluster.peering && cluster.provider === "A";
  return [
    ...group(strings.standardSrv, strings.standard, (from) => from !== "internet" && isPeeredInA),
    ...group(strings.privateSrv, strings.private, () => true),
    ...group(strings.legacySrv, strings.legacy, () => project.privateIpMode.enabled),
    ...(strings.privateEndpoint ?? []).flatMap((entry) => {
      const optimized = entry.srvShardOptimizedConnectionString;
      // The name leads to one load balancer, which refuses clients without `loadBalanced`. The service document
      // specifies neither.
      const balancer =
        optimized && `${optimized.replace("+srv", "")}:1024/?authSource=admin&loadBalanced=true`;
      return [
        ...group(entry.srvConnectionString, entry.connectionString, () => true),
        ...group(optimized, balancer, () => true),
      ];
    }),
  ];
}

function group(
  srv: string | undefined,
  list: string | undefined,
  isPrivate: NameGroup["isPrivate"],
): NameGroup[] {
  if (srv === undefined || list === undefined) return [];
  const srvName = srv.replace(/^.*:\/\//, "");
  const hosts = hostsOf(list);
  const names = [srvName, ...hosts.map(({ name }) => name)];
  // Drivers refuse every option in a TXT record except for authSource, replicaSet and loadBalanced.
  const options = list.replace(/^.*\?/, "").replace(/^ssl=true&/, "");
  return [{ srvName, hosts, names, options, isPrivate }];
}

function hostsOf(uri: string): { name: string; port: number }[] {
  const [, authority = ""] = /:\/\/([^/]*)/.exec(uri) ?? [];
  return authority.split(",").map((host) => {
    const [name = "", port] = host.split(":");
    return { name, port: Number(port) };
  });
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
  const hash = sha256(host);
  return `${access === "public" ? "2001:db8" : "fd00:0"}::${hash.slice(0, 4)}:${hash.slice(4, 8)}`;
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
  if (!wanted.endsWith(`.${naming.domain}`)) return { kind: "otherDomain" };
  for (const project of projects) {
    // Every name contains the label of its project.
    if (!wanted.includes(project.label)) continue;
    for (const cluster of project.clusters) {
      const groups = groupsOf(cluster, project, naming);
      const records = recordsOf({ name, type }, wanted, groups, from, naming.scheme);
      if (records !== undefined) return { kind: "name", records };
    }
  }
  return { kind: "noName" };
}

/** Returns the records of a name; undefined if the name does not exist. */
function recordsOf(
  { name, type }: ZoneQuestion,
  wanted: string,
  groups: readonly NameGroup[],
  from: Vantage,
  scheme: string,
): Answer[] | undefined {
  const serviceName = ({ srvName }: NameGroup) => `_${scheme}._tcp.${srvName}`;
  const service = groups.find((group) => serviceName(group) === wanted);
  if (service !== undefined) {
    if (type !== "SRV") return [];
    return service.hosts.map(({ name: target, port }) => {
      return { type: "SRV", name, ttl, data: { priority: 0, weight: 0, port, target } };
    });
  }
  const found = groups.find(({ names }) => names.includes(wanted));
  if (found === undefined) return undefined;
  const access = found.isPrivate(from) ? "private" : "public";
  if (type === "A") return [{ type, name, ttl, data: addressOf(wanted, access) }];
  if (type === "AAAA") return [{ type, name, ttl, data: ipv6AddressOf(wanted, access) }];
  return type === "TXT" && wanted === found.srvName
    ? [{ type, name, ttl, data: found.options }]
    : [];
}
