/** Gathers the facts about a string: what a driver asks, and what else can prove why it fails. */
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import { optionsIn } from "../options";
import type { ParsedConnectionString } from "../parsing";
import type { Finding } from "../rules/drivers";
import { type Open, connectionFacts } from "./connections";
import type { Dns } from "./dns";
import {
  type ClientCertificate,
  type ClusterFacts,
  type Facts,
  type HostFacts,
  type StringFacts,
  type UnusableFile,
  codeOf,
  foundIn,
  isNone,
  isUnanswered,
} from "./facts";
import {
  acceptingOption,
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

export function factsOf(parts: ParsedConnectionString, findings: readonly Finding[]): StringFacts {
  const { form, scheme, hosts } = parts;
  const options = new Map(
    optionsIn(parts.options).map(({ lowerName, value }) => [lowerName, value]),
  );
  const authority = readFileOf("tlsCAFile", options);
  const client = clientOf(options);
  return {
    form,
    scheme: scheme.replace(/\+srv$/i, ""),
    hosts,
    parts,
    findings,
    options,
    ca: foundIn(authority),
    client: foundIn(client),
    unusableFile: [authority, client].find((file) => "code" in file),
  };
}

/** What a file contains. Nothing is found if no option names it. */
type UsedFile<Content> = { readonly found: Content | undefined } | UnusableFile;

/** Reads a file that a driver reads before it connects. */
function readFileOf(option: string, options: StringFacts["options"]): UsedFile<string> {
  const path = options.get(option.toLowerCase());
  if (path === undefined) return { found: undefined };
  try {
    return { found: readFileSync(path, "utf8") };
  } catch (error) {
    const advice = `Run the check where the application runs, with the same files and user. If this is that place, make the file readable, or correct its path in ${option}.`;
    return { option, problem: "cannot be read", advice, code: codeOf(error) };
  }
}

/** Reads the certificate and the key of a client, as a driver does before it connects. */
function clientOf(options: StringFacts["options"]): UsedFile<ClientCertificate> {
  const option = "tlsCertificateKeyFile";
  const file = readFileOf(option, options);
  if ("code" in file) return file;
  if (file.found === undefined) return { found: undefined };
  const passphrase = options.get("tlscertificatekeyfilepassword");
  const client = { cert: file.found, key: file.found, passphrase };
  try {
    createSecureContext(client);
    return { found: client };
  } catch (error) {
    const isLocked = /\bENCRYPTED\b/.test(client.key) && !opensKey(client);
    const problem = isLocked
      ? "cannot be opened with tlsCertificateKeyFilePassword"
      : "has no certificate with its key";
    const advice = isLocked
      ? "Set tlsCertificateKeyFilePassword to the password of the key."
      : `Put the client certificate and its key into the file of ${option}, as PEM.`;
    return { option, problem, advice, code: codeOf(error) };
  }
}

/** Returns whether the password opens the key. The code of the error is a matter of chance if it does not. */
function opensKey({ key, passphrase }: ClientCertificate): boolean {
  try {
    createPrivateKey({ key, passphrase });
    return true;
  } catch {
    return false;
  }
}

/** Asks what a driver asks, and stops where a driver stops. */
export async function gatherFacts(string: StringFacts, dns: Dns, open: Open): Promise<Facts> {
  const facts = { servers: dns.servers.join(", "), string, cluster: undefined, hosts: [] };
  if (stopsBeforeHosts(facts)) return facts;
  const cluster = string.form === "srv" ? await clusterFacts(string, dns) : undefined;
  // Drivers reach the hosts through the proxy, which may resolve their names as well.
  const isProxied = string.options.has("proxyhost");
  if (isProxied || stopsBeforeHosts({ ...facts, cluster })) return { ...facts, cluster };
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
  const openings = addresses.found.map((address) => () => open(address, port));
  // Without TLS in the string, the handshake tells whether a host with a local name needs it.
  const isUnused = isLocalWithoutTls(string);
  const accepts = (code: string) => acceptingOption(code, string) !== undefined;
  const { ca } = string;
  // Drivers send no certificate without TLS.
  const client = isUnused ? undefined : string.client;
  const isTlsAsked = isUnused || tlsOf(string) === "on";
  const handshake = isTlsAsked ? { host, ca, client, accepts } : undefined;
  return { ...facts, ...(await connectionFacts(openings, handshake)) };
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
