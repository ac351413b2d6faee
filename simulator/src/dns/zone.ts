/**
 * The records of the cluster domain: SRV, TXT, A and AAAA for every name in a connection string
 * (service document 2.6, column "Resolves to").
 */
import type { Answer, RecordType } from "dns-packet";
import { connectionStrings, type Naming } from "../connectionStrings/generate";
import { type Addresses, addressesOf } from "../connectionStrings/resolution";
import type { Vantage } from "../connectionStrings/resolvedHosts";
import type { ConnectionStrings } from "../connectionStrings/strings";
import type { Project } from "../store/project";

/** The answer to a question. */
export type ZoneAnswer =
  /** The name exists. There may be no record of the requested type. */
  | { readonly kind: "name"; readonly records: readonly Answer[] }
  /** The name is in the cluster domain, but does not exist. */
  | { readonly kind: "noName" }
  /** The name is in another domain. */
  | { readonly kind: "otherDomain" };

/** A question about a name in any case, with or without the final dot. */
export interface ZoneQuestion {
  /** The name. */
  readonly name: string;
  /** The type of the requested records. */
  readonly type: RecordType;
}

/** How long a client may cache a record, in seconds. Short, because the private IP mode may change. */
const ttl = 10;

/**
 * Answers a question.
 *
 * @param question the name and the record type
 * @param from the network of the client
 * @param projects the projects whose clusters are searched
 * @param naming scheme and domain of the connection strings
 * @returns the records, with the name as in the question
 */
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

/**
 * Returns the authority record of answers without other records.
 *
 * @param domain the cluster domain
 * @returns the SOA record of the domain
 */
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
interface Service {
  readonly srvName: string;
  /** The name of its SRV records. */
  readonly serviceName: string;
  readonly hosts: readonly { readonly name: string; readonly port: number }[];
  /** The options that every client needs, as the TXT record of the SRV name. */
  readonly options: string;
}

/** Returns the records of a name; undefined if the name does not exist. */
function recordsOf(
  { name, type }: ZoneQuestion,
  wanted: string,
  services: readonly Service[],
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

function srvRecords(name: string, { hosts }: Service): Answer[] {
  return hosts.map(({ name: target, port }) => {
    return { type: "SRV", name, ttl, data: { priority: 0, weight: 0, port, target } };
  });
}

/** Pairs each SRV string of a cluster with the host list of the same kind. */
function servicesOf(strings: ConnectionStrings, scheme: string): Service[] {
  const pairs: [srv: string | undefined, hosts: string | undefined][] = [
    [strings.standardSrv, strings.standard],
    [strings.privateSrv, strings.private],
    [strings.legacySrv, strings.legacy],
    ...(strings.privateEndpoint ?? []).flatMap(
      (endpoint): [string | undefined, string | undefined][] => [
        [endpoint.srvConnectionString, endpoint.connectionString],
        [endpoint.srvShardOptimizedConnectionString, endpoint.connectionString],
      ],
    ),
  ];
  return pairs.flatMap(([srv, list]) =>
    srv === undefined || list === undefined ? [] : [serviceOf(srv, list, scheme)],
  );
}

function serviceOf(srv: string, list: string, scheme: string): Service {
  const [, authority = "", options = ""] = /:\/\/([^/?]*)(?:\/?\?(.*))?$/.exec(list) ?? [];
  const hosts = authority.split(",").map((host) => {
    const [name = "", port = ""] = host.split(":");
    return { name, port: Number(port) };
  });
  const required = ["authSource=admin", ...(options === "" ? [] : [options])].join("&");
  const srvName = srv.replace(/^.*:\/\//, "");
  return { srvName, serviceName: `_${scheme}._tcp.${srvName}`, hosts, options: required };
}
