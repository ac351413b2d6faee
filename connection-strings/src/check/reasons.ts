/**
 * Why a string is not reachable, beside the advice of its rows: sentences that are said only if the facts prove them, and
 * the usual causes of what no fact explains (decision 0022).
 */
import {
  type Answer,
  type Facts,
  type HostFacts,
  type StringFacts,
  codeIn,
  foundIn,
  isNone,
  isUnanswered,
  otherName,
} from "./facts";
import { askOtherServer, isOfClock, kindOfAddress, useList } from "./rows";
import { hasSrvRecords, isLocalName, isLocalWithoutTls, kindOfName } from "./rules";

/**
 * Returns the sentences about several hosts or records that the facts prove. None contradicts another one.
 *
 * @param failed the hosts without which a driver does not work
 */
export function provenSentences(facts: Facts, failed: readonly HostFacts[]): string[] {
  return [
    ...aboutClusterNames(facts, failed),
    ...aboutDns(facts, failed),
    ...aboutMinority(facts, failed),
  ];
}

function aboutClusterNames({ string }: Facts, failed: readonly HostFacts[]): string[] {
  const clusters = failed.filter(hasSrvRecords);
  if (clusters.length === 0) return [];
  const [has, it] = clusters.length === 1 ? ["has", "it"] : ["have", "each"];
  const address = clusters.every(({ addresses }) => isNone(addresses)) ? " and no address" : "";
  return [
    `${joinNames(clusters)} ${has} SRV records${address}, so ${it} belongs after ${string.scheme}+srv://, without a port.`,
  ];
}

/** A question of a driver, and the others that the check asked about the same name or its cluster. */
interface Question {
  readonly what: "the SRV records" | "the TXT records" | "the addresses";
  readonly name: string;
  readonly answer: Answer<unknown> | undefined;
  readonly others: readonly (Answer<unknown> | undefined)[];
}

function driverQuestions({ cluster }: Facts, failed: readonly HostFacts[]): Question[] {
  const ofHosts = failed
    .filter((host) => !hasSrvRecords(host))
    .map(({ name, addresses, srv }): Question => {
      return { what: "the addresses", name, answer: addresses, others: [srv, cluster?.srv] };
    });
  if (cluster === undefined) return ofHosts;
  const { name, srv, txt, addresses } = cluster;
  if ("code" in srv)
    return [{ what: "the SRV records", name, answer: srv, others: [txt, addresses] }];
  return [{ what: "the TXT records", name, answer: txt, others: [srv] }, ...ofHosts];
}

/** Which questions DNS does not answer, and whether it answers others. */
function aboutDns(facts: Facts, failed: readonly HostFacts[]): string[] {
  const open = driverQuestions(facts, failed).filter(({ answer }) => isUnanswered(answer));
  const single = open.filter(hasOtherAnswer);
  const silent = open.filter((question) => !hasOtherAnswer(question));
  const dns = `DNS at ${facts.servers}`;
  const sentences: string[] = [];
  if (single.length > 0) {
    const isTcpRefused = single.some(({ answer }) => refusesTcp(answer, facts.servers));
    const remedy = isTcpRefused
      ? "The response is too long for UDP, and the server refuses TCP. Allow TCP to it, or ask another DNS server with --resolver."
      : askOtherServer;
    sentences.push(
      `${dns} answers other questions, but not about ${subjectsOf(single)}. ${remedy}`,
    );
  }
  if (silent.length > 0)
    sentences.push(
      `${dns} answers no question about ${joinNames(silent)}. ${askOtherServer} If only that one answers, change this network's DNS.`,
    );
  const isAboutHosts = open.some(({ what }) => what === "the addresses");
  return single.length > 0 && !isAboutHosts ? [...sentences, useList] : sentences;
}

/**
 * Returns whether the server of an unanswered question, which answers others over UDP, refuses TCP. It is asked over TCP
 * only if its response is too long for UDP. One of several servers may have refused UDP.
 */
function refusesTcp(answer: Question["answer"], servers: string): boolean {
  return codeIn(answer) === "ECONNREFUSED" && !servers.includes(",");
}

function hasOtherAnswer({ others }: Question): boolean {
  return others.some((other) => other !== undefined && !isUnanswered(other));
}

/** Such as `the SRV records of orders.ab1cd.db.example`. */
function subjectsOf(questions: readonly Question[]): string {
  const kinds = [...new Set(questions.map(({ what }) => what))];
  return kinds
    .map((kind) => `${kind} of ${joinNames(questions.filter(({ what }) => what === kind))}`)
    .join(" and ");
}

function aboutMinority({ hosts }: Facts, failed: readonly HostFacts[]): string[] {
  if (failed.length === 0 || failed.length === hosts.length) return [];
  return [`The replica set may have no primary without ${listHosts(failed)}.`];
}

function joinNames(all: readonly { readonly name: string }[]): string {
  return all.map(({ name }) => name).join(", ");
}

export function listHosts(hosts: readonly HostFacts[]): string {
  return hosts.map(({ name, port }) => `${name}:${port}`).join(", ");
}

/**
 * Returns the usual causes of what no sentence explains. They are printed, because a terminal in a container shows no
 * page. Empty if the facts explain everything.
 *
 * @param failed the hosts without which a driver does not work
 */
export function usualCauses(facts: Facts, failed: readonly HostFacts[]): string[] {
  const { cluster, servers, hosts } = facts;
  if (cluster !== undefined && kindOfName(cluster) === "unknown") return [unknownName(servers)];
  const isMinority = failed.length < hosts.length;
  const byCause = new Map<string, HostFacts[]>();
  for (const host of failed) {
    const cause = causeOf(host, facts, isMinority);
    if (cause !== undefined) byCause.set(cause, [...(byCause.get(cause) ?? []), host]);
  }
  if (byCause.size === 1) return [...byCause.keys()];
  return [...byCause].map(([cause, failing]) => `for ${listHosts(failing)}, ${cause}`);
}

function unknownName(servers: string): string {
  return `a name that the service does not return any more, or one that only another DNS server than ${servers} knows. Compare it with the strings that \`npx --no pulumi-clouddb doctor --project ID --json\` prints, and ask another DNS server with --resolver.`;
}

/** Returns undefined if a proven sentence or a row says why the host failed. */
function causeOf(host: HostFacts, facts: Facts, isMinority: boolean): string | undefined {
  const { addresses, tcp, tls } = host;
  if ("code" in addresses) return causeOfAddresses(host, facts);
  const certificate = foundIn(tls);
  if (certificate !== undefined && isLocalWithoutTls(facts.string)) return undefined;
  if (certificate?.client !== undefined) return clientCauses[certificate.client];
  const problem = certificate?.code;
  const isUntrusted = problem !== undefined && problem !== otherName;
  if (isOfDevelopment(host, facts) && !isUntrusted) return development;
  if (problem !== undefined) return causeOfCertificate(problem, facts.string);
  // The other hosts accept connections from this network.
  if (isMinority) return "maintenance, or the routes and security rules to these hosts.";
  const refusal = codeIn(tcp);
  if (refusal === undefined) return refusingEnd.test(codeIn(tls) ?? "") ? accessList : proxy;
  if (refusal === "ECONNREFUSED")
    return "another port than in the string that the service returned, or a firewall.";
  if (addresses.found.every((address) => kindOfAddress(address) === "private"))
    return "first, this machine may be outside the network of the peering or the private endpoint, where only a string for the Internet works. Otherwise, the routes of that network, or the security rules.";
  if (refusal === "ENETUNREACH" || refusal === "EHOSTUNREACH")
    return "the routes of this network, such as no route to the internet or none for IPv6, or its firewall.";
  return "the project's IP access list, which lacks this network's address, or a firewall of this network.";
}

/** Returns whether a list has a local name. One in SRV records is that of a cluster in a private domain. */
function isOfDevelopment({ name }: HostFacts, { string }: Facts): boolean {
  return string.form === "hosts" && isLocalName(name);
}

const development =
  "a string for development instead of that of a cluster. Its database or tunnel is in another network, does not run, speaks no TLS, or has a certificate for another name, which tlsAllowInvalidHostnames=true accepts. localhost is the machine or the container in which the check runs.";
const intermediary = "a proxy between this network and the cluster";
const proxy = `${intermediary}.`;
const clock = `the clock of this machine, which may be wrong, or ${proxy}`;
const accessList = `first, the project's IP access list, which lacks this network's address. Atlas ends TLS like this for other addresses, so add it. Otherwise, ${proxy}`;

/** Matches the codes of handshakes that a server ends because of the client. */
const refusingEnd = /_ALERT_(?:INTERNAL_ERROR|HANDSHAKE_FAILURE)$|^ECONNRESET$|^EPIPE$/;

function causeOfCertificate(code: string, { ca }: StringFacts): string {
  if (isOfClock(code)) return clock;
  if (code === otherName) return `${intermediary}, or a name that the service did not return.`;
  return ca === undefined
    ? `${intermediary}, or a private authority. For that one, set NODE_EXTRA_CA_CERTS and the driver's tlsCAFile to its certificate.`
    : `the file in tlsCAFile, which lacks the authority that issued the certificate. Services change theirs, so get a current file, or remove tlsCAFile if the authority is a public one. Or ${proxy}`;
}

const clientCauses = {
  missing:
    "a string without tlsCertificateKeyFile, which names a file with the certificate and the key of a user.",
  refused: "a client certificate that has expired, is of another authority, or was revoked.",
};

function causeOfAddresses(host: HostFacts, facts: Facts): string | undefined {
  const { servers, cluster } = facts;
  if (codeIn(host.addresses) === "BLOCKED")
    return "a DNS server or a hosts file that blocks names. Ask another DNS server with --resolver.";
  if (!isNone(host.addresses) || hasSrvRecords(host)) return undefined;
  if (isOfDevelopment(host, facts)) return development;
  // The names of peering-private strings and of private endpoints.
  const isPrivateName = /^[^.]*(?:-pri|\bpl-\d+[^.]*|-p(?:sc|e)-\d+)\./.test(host.name);
  return cluster !== undefined && isPrivateName
    ? `a DNS server that drops private addresses (rebinding protection), or ${unknownName(servers)}`
    : unknownName(servers);
}
