/**
 * The records of the cluster domain: SRV, TXT, A and AAAA for every name in a connection string
 * (service document 2.6, column "Resolves to").
 */
import type { Answer, RecordType } from "dns-packet";
import { connectionStrings, type Naming } from "../connectionStrings/generate";
import { addressesOf, type Vantage } from "../connectionStrings/resolution";
import type { Cluster } from "../store/cluster";
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
      const answer = answerOf(wanted, type, from, project, cluster, naming);
      if (answer !== undefined) return named(answer, name);
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
  readonly hosts: readonly { readonly name: string; readonly port: number }[];
  /** The options that every client needs, as the TXT record of the SRV name. */
  readonly options: string;
}

/** Returns the records of a name of the cluster; undefined if the cluster does not have it. */
function answerOf(
  name: string,
  type: RecordType,
  from: Vantage,
  project: Project,
  cluster: Cluster,
  naming: Naming,
): readonly Answer[] | undefined {
  const services = servicesOf(cluster, project.label, naming);
  const prefix = `_${naming.scheme}._tcp.`;
  const service = services.find(({ srvName }) => name === `${prefix}${srvName}`);
  if (service !== undefined) return type === "SRV" ? srvRecords(service) : [];
  const own = services.find(({ srvName }) => name === srvName);
  const addresses = addressesOf(name, from, project, cluster, naming);
  if (own === undefined && addresses === undefined) {
    const names = services.flatMap(({ srvName, hosts }) => [
      `${prefix}${srvName}`,
      ...hosts.map((host) => host.name),
    ]);
    // A name between two dots of a longer name exists without records.
    return names.some((longer) => longer.endsWith(`.${name}`)) ? [] : undefined;
  }
  switch (type) {
    case "TXT":
      return own === undefined ? [] : [{ type, name, ttl, data: own.options }];
    case "A":
      return addresses === undefined ? [] : [{ type, name, ttl, data: addresses.ipv4 }];
    case "AAAA":
      return addresses === undefined ? [] : [{ type, name, ttl, data: addresses.ipv6 }];
    default:
      return [];
  }
}

function srvRecords({ srvName, hosts }: Service): Answer[] {
  return hosts.map(({ name, port }) => ({
    type: "SRV",
    name: srvName,
    ttl,
    data: { priority: 0, weight: 0, port, target: name },
  }));
}

/** Pairs each SRV string of a cluster with the host list of the same kind. */
function servicesOf(cluster: Cluster, label: string, naming: Naming): Service[] {
  const strings = connectionStrings(cluster, label, naming);
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
    srv === undefined || list === undefined ? [] : [serviceOf(srv, list)],
  );
}

function serviceOf(srv: string, list: string): Service {
  const [, authority = "", options = ""] = /:\/\/([^/?]*)(?:\/?\?(.*))?$/.exec(list) ?? [];
  const hosts = authority.split(",").map((host) => {
    const [name = "", port = ""] = host.split(":");
    return { name, port: Number(port) };
  });
  const required = ["authSource=admin", ...(options === "" ? [] : [options])].join("&");
  return { srvName: srv.replace(/^.*:\/\//, ""), hosts, options: required };
}

function named(records: readonly Answer[], name: string): ZoneAnswer {
  return { kind: "name", records: records.map((record) => ({ ...record, name })) };
}
