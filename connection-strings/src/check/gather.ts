/** Gathers the facts about a string: what a driver asks, and what else can prove why it fails. */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { ParsedConnectionString } from "../parsing";
import { type Open, connectionFacts } from "./connections";
import type { Dns } from "./dns";
import {
  type ClusterFacts,
  type Facts,
  type HostFacts,
  type StringFacts,
  type UnreadableFile,
  codeOf,
  foundIn,
  isNone,
  isUnanswered,
} from "./facts";
import {
  foreignHost,
  isLocalWithoutTls,
  saysCluster,
  serviceOf,
  stopsBeforeHosts,
  tlsOf,
} from "./rules";

/**
 * How long a question to DNS may take. An operating system asks a second server after 5 s. If DNS is silent, a check waits
 * for both kinds of questions, so it ends within 10 s.
 */
const limitsMs = { ofDrivers: 6000, further: 2000 };

export function factsOf(
  { form, scheme, hosts, options: text }: ParsedConnectionString,
  isPadded: boolean,
): StringFacts {
  const all = [...new URLSearchParams(text)];
  const options = new Map(all.map(([name, value]) => [name.toLowerCase(), value]));
  const authority = readFileOf("tlsCAFile", options);
  const files = [authority, readFileOf("tlsCertificateKeyFile", options)];
  return {
    form,
    scheme: scheme.replace(/\+srv$/i, ""),
    hosts,
    isPadded,
    options,
    ca: "text" in authority ? authority.text : undefined,
    unreadableFile: files.find((file) => "code" in file),
  };
}

/** Reads a file that a driver reads before it connects. */
function readFileOf(
  option: string,
  options: StringFacts["options"],
): UnreadableFile | { readonly text: string | undefined } {
  const path = options.get(option.toLowerCase());
  if (path === undefined) return { text: undefined };
  try {
    return { text: readFileSync(path, "utf8") };
  } catch (error) {
    return { option, code: codeOf(error) };
  }
}

/** Asks what a driver asks, and stops where a driver stops. */
export async function gatherFacts(string: StringFacts, dns: Dns, open: Open): Promise<Facts> {
  const facts = { servers: dns.servers.join(", "), string, cluster: undefined, hosts: [] };
  if (stopsBeforeHosts(facts)) return facts;
  const cluster = string.form === "srv" ? await clusterFacts(string, dns) : undefined;
  if (stopsBeforeHosts({ string, cluster })) return { ...facts, cluster };
  const members = foundIn(cluster?.srv) ?? string.hosts;
  const hosts = await Promise.all(
    members.map(({ name, port = 27_017 }) => hostFacts({ name, port }, string, { dns, open })),
  );
  return { ...facts, cluster, hosts };
}

/** Asks for TXT after SRV, as most drivers do. */
async function clusterFacts(string: StringFacts, dns: Dns): Promise<ClusterFacts> {
  const name = string.hosts[0]?.name ?? "";
  const srv = await dns.srv(serviceOf(name, string), limitsMs.ofDrivers);
  const cluster = { name, srv, txt: undefined, addresses: undefined };
  if ("code" in srv || foreignHost(cluster) !== undefined) return cluster;
  return { ...cluster, txt: await dns.txt(name, limitsMs.ofDrivers) };
}

async function hostFacts(
  { name, port }: { readonly name: string; readonly port: number },
  string: StringFacts,
  { dns, open }: { readonly dns: Dns; readonly open: Open },
): Promise<HostFacts> {
  const host = name.replace(/^\[|\]$/g, "");
  const addresses =
    isIP(host) === 0 ? await dns.addressesOfHost(host, limitsMs.ofDrivers) : { found: [host] };
  const facts = { name, port, addresses, srv: undefined };
  if ("code" in addresses) return { ...facts, tcp: undefined, tls: undefined };
  const sockets = addresses.found.map((address) => open(address, port));
  // Without TLS in the string, the handshake tells whether a server of this machine needs it.
  const isTlsAsked = tlsOf(string) === "on" || isLocalWithoutTls(string);
  const handshake = isTlsAsked ? { host, ca: string.ca } : undefined;
  return { ...facts, ...(await connectionFacts(sockets, handshake)) };
}

/** Adds to the facts of a string that is not reachable what no driver asks, but what can prove why. */
export async function gatherEvidence(facts: Facts, dns: Dns): Promise<Facts> {
  const { string, cluster } = facts;
  const [clusterWithEvidence, hosts] = await Promise.all([
    cluster && addClusterEvidence(cluster, dns),
    Promise.all(facts.hosts.map((host) => addHostEvidence(host, string, dns))),
  ]);
  return { ...facts, cluster: clusterWithEvidence, hosts };
}

async function addClusterEvidence(cluster: ClusterFacts, dns: Dns): Promise<ClusterFacts> {
  const { name, srv } = cluster;
  if ("found" in srv) return cluster;
  const addresses = dns.addresses(name, limitsMs.further);
  const txt = await dns.txt(name, limitsMs.further);
  const found = { ...cluster, txt };
  // If TXT alone proves what the name is, or that DNS answers other questions, nobody waits for the addresses.
  const isProven = isNone(srv) ? saysCluster(found) : !isUnanswered(txt);
  return isProven ? found : { ...found, addresses: await addresses };
}

async function addHostEvidence(host: HostFacts, string: StringFacts, dns: Dns): Promise<HostFacts> {
  if ("found" in host.addresses || string.form === "srv") return host;
  // In a list of hosts, it may be the name of a cluster.
  return { ...host, srv: await dns.srv(serviceOf(host.name, string), limitsMs.further) };
}
