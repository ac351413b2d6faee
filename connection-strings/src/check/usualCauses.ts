/** What is often the cause of what no fact explains. It is printed, because a terminal in a container shows no page. */
import { type Facts, type HostFacts, failureIn, foundIn, isNone } from "./facts";
import { hasSrvRecords, listHosts } from "./proofs";
import { isPrivate } from "./rows";
import { kindOfName } from "./rules";

/**
 * Returns the usual causes of what no sentence explains, one or more. Empty if the facts explain everything.
 *
 * @param failed the hosts without which a driver does not work
 */
export function usualCauses(facts: Facts, failed: readonly HostFacts[]): string[] {
  const { cluster, servers, hosts } = facts;
  if (cluster !== undefined && kindOfName(cluster) === "unknown") return [unknownName(servers)];
  const isMinority = failed.length < hosts.length;
  const byCause = new Map<string, HostFacts[]>();
  for (const host of failed) {
    const cause = causeOf(host, servers, isMinority);
    if (cause !== undefined) byCause.set(cause, [...(byCause.get(cause) ?? []), host]);
  }
  if (byCause.size === 1) return [...byCause.keys()];
  return [...byCause].map(([cause, failing]) => `for ${listHosts(failing)}, ${cause}`);
}

function unknownName(servers: string): string {
  return `a name that the service does not return any more, or one that only another DNS server than ${servers} knows. Compare it with \`npx pulumi-clouddb strings --project ID --cluster NAME\`, and ask another DNS server with --resolver.`;
}

/** Returns undefined if a proven sentence says why the host failed. */
function causeOf(host: HostFacts, servers: string, isMinority: boolean): string | undefined {
  const { addresses, tcp, tls } = host;
  if ("code" in addresses)
    return isNone(addresses) && !hasSrvRecords(host) ? unknownName(servers) : undefined;
  const certificate = foundIn(tls);
  if (certificate?.code !== undefined)
    return certificateCauses.get(certificate.code) ?? certificateCause;
  // The other hosts accept connections from this network.
  if (isMinority) return "maintenance, or the routes and security rules to these hosts.";
  const refusal = failureIn(tcp)?.code;
  if (refusal === undefined) return handshakeCauses.get(failureIn(tls)?.code ?? "") ?? proxy;
  if (refusal === "ECONNREFUSED")
    return "another port than in the string that the service returned, or a firewall.";
  return addresses.found.every(isPrivate)
    ? "the routes of the peering or the private endpoint, or the security rules."
    : "the project's IP access list, which lacks this network's address, or a firewall of this network.";
}

const intermediary = "a proxy between this network and the cluster";
const proxy = `${intermediary}.`;
const clock = `the clock of this machine, which may be wrong, or ${proxy}`;
const accessList = `first, the project's IP access list, which lacks this network's address. Atlas ends TLS like this for other addresses, so add it. Otherwise, ${proxy}`;

/** By the code of Node.js for a handshake that failed. */
const handshakeCauses: ReadonlyMap<string, string> = new Map([
  ["ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR", accessList],
  ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", accessList],
  ["ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE", accessList],
  ["ECONNRESET", accessList],
  ["EPIPE", accessList],
]);

/** By the code of Node.js for a certificate that is not trusted. */
const certificateCauses: ReadonlyMap<string, string> = new Map([
  ["CERT_HAS_EXPIRED", clock],
  ["CERT_NOT_YET_VALID", clock],
  ["ERR_TLS_CERT_ALTNAME_INVALID", `${intermediary}, or a name that the service did not return.`],
]);

const certificateCause = `${intermediary}, or a private authority. For that one, set NODE_EXTRA_CA_CERTS and the driver's tlsCAFile to its certificate.`;
