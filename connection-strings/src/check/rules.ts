/** What drivers accept, decided from the facts alone. */
import type { Host } from "../parsing";
import type { Finding } from "../rules/drivers";
import { findingsIn } from "../rules/findings";
import {
  type ClusterFacts,
  type Facts,
  type HostFacts,
  type StringFacts,
  foundIn,
  isNone,
  isUnanswered,
  otherName,
} from "./facts";

/** Returns the name of the SRV records of a cluster. */
export function serviceOf(name: string, { scheme, options }: StringFacts): string {
  return `_${options.get("srvservicename") ?? scheme}._tcp.${name}`;
}

export function tlsOf({ form, options }: StringFacts): "on" | "off" | "missing" {
  const tls = options.get("tls") ?? options.get("ssl");
  if (tls === "false") return "off";
  return tls === undefined && form === "hosts" ? "missing" : "on";
}

/** Returns whether a string without TLS has local names only, behind which a database, unlike a cluster, may need none. */
export function isLocalWithoutTls(string: StringFacts): boolean {
  const isLocal = string.form === "hosts" && string.hosts.every(({ name }) => isLocalName(name));
  return isLocal && tlsOf(string) !== "on";
}

/** Returns whether no cluster can have a name: that of loopback, of a container, or one that is never in public DNS. */
export function isLocalName(name: string): boolean {
  return /^(?:[^.[\]]+\.?|127(?:\.\d+){3}|\[::1\]|.*\.(?:internal|local))$/i.test(name);
}

/** Returns whether a name in a list of hosts has SRV records, as clusters have. */
export function hasSrvRecords({ srv }: HostFacts): boolean {
  return foundIn(srv) !== undefined;
}

/** Returns the option of a string by which drivers accept a certificate with this problem. */
export function acceptingOption(code: string, { options }: StringFacts): string | undefined {
  const names = ["tlsInsecure", "tlsAllowInvalidCertificates"];
  if (code === otherName) names.push("tlsAllowInvalidHostnames");
  return names.find((name) => options.get(name.toLowerCase()) === "true");
}

/** Returns a host of SRV records in another domain than their name, whose domain has at least two labels. */
export function foreignHost({ name, srv }: ClusterFacts): Host | undefined {
  const labels = name.toLowerCase().replace(/\.$/, "").split(".");
  const domain = `.${labels.slice(labels.length < 3 ? 0 : 1).join(".")}`;
  return foundIn(srv)?.find((host) => !host.name.toLowerCase().endsWith(domain));
}

/** The options that drivers accept in a TXT record, in this spelling only. */
export const txtOptions = ["authSource", "replicaSet", "loadBalanced"];

/** Returns the options in the TXT record of a cluster. */
export function optionsOfTxt({ txt }: ClusterFacts): URLSearchParams {
  return new URLSearchParams(foundIn(txt)?.[0]);
}

/** Returns the options that drivers take from TXT, which they read only if there are SRV records. */
function publishedOptions(cluster: ClusterFacts | undefined): URLSearchParams {
  return cluster !== undefined && "found" in cluster.srv
    ? optionsOfTxt(cluster)
    : new URLSearchParams();
}

/** Returns whether drivers accept what TXT says, also if it says nothing. */
export function isValidTxt(cluster: ClusterFacts): boolean {
  const options = [...optionsOfTxt(cluster)];
  const isSingle = (foundIn(cluster.txt)?.length ?? 0) <= 1;
  return isSingle && options.every(([name, value]) => txtOptions.includes(name) && value !== "");
}

/** Returns whether TXT says that the name is that of a cluster. */
export function saysCluster(cluster: ClusterFacts): boolean {
  return isValidTxt(cluster) && optionsOfTxt(cluster).size > 0;
}

/**
 * Returns what a name without SRV records is: that of a cluster whose SRV records DNS does not have, that of a host, or
 * neither, as far as the facts say. Undefined for a name with SRV records, or if DNS does not tell.
 */
export function kindOfName(cluster: ClusterFacts): "cluster" | "host" | "unknown" | undefined {
  if (!isNone(cluster.srv)) return undefined;
  if (saysCluster(cluster)) return "cluster";
  return foundIn(cluster.addresses) === undefined ? "unknown" : "host";
}

export function hasReplicaSet({ string, cluster }: Facts): boolean {
  return string.options.has("replicaset") || publishedOptions(cluster).has("replicaSet");
}

/** Says which value of an option drivers take, if the string has another one than TXT. */
export function differenceIn(
  option: "replicaSet" | "authSource",
  { string, cluster }: Facts,
): string | undefined {
  const own = string.options.get(option.toLowerCase());
  const published = publishedOptions(cluster).get(option) ?? undefined;
  if (own === undefined || published === undefined || own === published) return undefined;
  return `drivers take ${option}=${own} of the string, instead of ${published} in TXT`;
}

/** Returns what is wrong with a string, and with what DNS adds to it. */
export function allFindings({ string, cluster }: Facts): readonly Finding[] {
  const { parts, findings } = string;
  const hosts = foundIn(cluster?.srv);
  if (hosts === undefined) return findings;
  const known = new Set(findings.map(({ problem }) => problem));
  const all = findingsIn({ ...parts, hosts }, publishedOptions(cluster));
  return [...findings, ...all.filter(({ problem }) => !known.has(problem))];
}

/** Returns whether a string with this finding is not reachable, whatever the hosts do. */
function isSevere({ degree }: Finding): boolean {
  return degree !== "warning";
}

/** Returns whether the string itself is wrong, so that nothing else about it matters. */
export function isMistaken({ findings }: StringFacts): boolean {
  return findings.some(isSevere);
}

/** Returns whether a driver does not get so far that it connects to hosts. */
export function stopsBeforeHosts(facts: Facts): boolean {
  const { string, cluster } = facts;
  const isRefused = allFindings(facts).some(isSevere);
  if (isRefused || string.unusableFile !== undefined) return true;
  if (cluster === undefined) return false;
  const isSrvAccepted = "found" in cluster.srv && foreignHost(cluster) === undefined;
  const isTxtAccepted = !isUnanswered(cluster.txt) && isValidTxt(cluster);
  return !(isSrvAccepted && isTxtAccepted);
}
