/** The facts as rows, in the order in which a driver depends on them. */
import type { Finding } from "../rules/drivers";
import {
  type Answer,
  type CertificateFacts,
  type ClusterFacts,
  type Facts,
  type HostFacts,
  type StringFacts,
  codeIn,
  connectionTimeoutMs,
  isNone,
  otherName,
} from "./facts";
import {
  type FactsOfNames,
  acceptingOption,
  allFindings,
  differenceIn,
  foreignHost,
  isLocalWithoutTls,
  isMistaken,
  isValidTxt,
  optionsOfTxt,
  saysCluster,
  serviceOf,
  tlsOf,
  txtOptions,
} from "./rules";

/** With a problem, drivers do not work. `also` is a fact that no driver asks for. */
export type Mark = "ok" | "warning" | "problem" | "also";
type Check = "string" | "options" | "SRV" | "TXT" | "addresses" | "TCP" | "TLS";
export type Row = readonly [mark: Mark, check: Check, subject: string, finding: string];

/** Returns the rows of everything but the hosts. */
export function rowsBeforeHosts(facts: Facts): Row[] {
  const { string, cluster } = facts;
  const rows: Row[] = [];
  for (const finding of allFindings(facts)) rows.push(findingRow(finding));
  if (!isMistaken(string)) rows.push(tlsRow(string));
  if (string.unusableFile !== undefined) {
    const { option, problem, code } = string.unusableFile;
    rows.push(["problem", "options", "", `the file of ${option} ${problem} (${code})`]);
  }
  if (cluster !== undefined)
    rows.push(...clusterRows(string, cluster), ...comparisonRows(string, cluster));
  return rows;
}

/** Nothing else says what to do about a warning. */
function findingRow({ code, degree, problem, advice }: Finding): Row {
  const check = code.includes("option") ? "options" : "string";
  return degree === "warning"
    ? ["warning", check, "", `${problem}. ${advice}`]
    : ["problem", check, "", problem];
}

function tlsRow(string: StringFacts): Row {
  const tls = tlsOf(string);
  if (tls !== "on") {
    const finding =
      tls === "off" ? "the string turns TLS off" : "drivers do not use TLS without tls=true";
    if (!isLocalWithoutTls(string)) return ["problem", "options", "", finding];
    return ["warning", "options", "", `${finding}, and the string names no cluster`];
  }
  const option = acceptingOption(otherName, string);
  if (option === undefined) return ["ok", "options", "", "drivers use TLS"];
  return ["warning", "options", "", `drivers use TLS, but with ${option} any server can answer`];
}

function clusterRows(string: StringFacts, cluster: ClusterFacts): Row[] {
  const { name, srv, txt, addresses } = cluster;
  const service = serviceOf(name, string);
  const rows: Row[] = [];
  const foreign = foreignHost(cluster);
  if (foreign === undefined) {
    rows.push(srvRow("code" in srv ? "problem" : "ok", service, srv));
  } else {
    const finding = `drivers refuse ${foreign.name}, because it is of another domain than ${name}`;
    rows.push(["problem", "SRV", service, finding]);
  }
  // Drivers need TXT only if there are SRV records.
  if (txt !== undefined) {
    const [mark, finding] = describeTxt(cluster, txt);
    rows.push(["code" in srv ? "also" : mark, "TXT", name, finding]);
  }
  if (addresses !== undefined) rows.push(addressRow("also", name, addresses));
  return rows;
}

function srvRow(mark: Mark, service: string, srv: ClusterFacts["srv"]): Row {
  if ("code" in srv) return [mark, "SRV", service, dnsText(srv.code)];
  const { length } = srv.found;
  return [mark, "SRV", service, `${length} ${length === 1 ? "host" : "hosts"}`];
}

function describeTxt(cluster: ClusterFacts, txt: Answer<unknown>): [mark: Mark, finding: string] {
  // A name with SRV records exists, also where DNS says otherwise for TXT.
  const isUnknown = "code" in cluster.srv && codeIn(txt) === "ENOTFOUND";
  if ("code" in txt && (isUnknown || !isNone(txt))) return ["problem", dnsText(txt.code)];
  if (!isValidTxt(cluster))
    return ["problem", `drivers accept one record with ${txtOptions.join(", ")}`];
  const names = [...optionsOfTxt(cluster).keys()];
  return ["ok", names.length === 0 ? "no options" : `sets ${names.join(", ")}`];
}

/** Returns the rows of the options about which the string and TXT disagree. */
function comparisonRows(string: StringFacts, cluster: ClusterFacts): Row[] {
  if ("code" in cluster.srv) return [];
  const { options } = string;
  const rows = differenceRows("problem", "replicaSet", { string, cluster });
  const isSetUnknown = saysCluster(cluster) && !optionsOfTxt(cluster).has("replicaSet");
  if (options.has("replicaset") && isSetUnknown) {
    const finding = "remove replicaSet if the cluster is sharded, because TXT names no replica set";
    rows.push(["warning", "options", "", finding]);
  }
  // Mechanisms such as X.509 need this source, whatever TXT says.
  if (options.get("authsource") !== "$external")
    rows.push(...differenceRows("warning", "authSource", { string, cluster }));
  return rows;
}

function differenceRows(
  mark: Mark,
  option: "replicaSet" | "authSource",
  facts: FactsOfNames,
): Row[] {
  const difference = differenceIn(option, facts);
  if (difference === undefined) return [];
  const { own, published } = difference;
  const finding = `drivers take ${option}=${own} of the string, instead of ${published} in TXT`;
  return [[mark, "options", "", finding]];
}

/** Returns the rows of a host. */
export function hostRows(host: HostFacts, string: StringFacts): Row[] {
  const { name, port, addresses, tcp, tls, srv } = host;
  const subject = `${name}:${port}`;
  const rows = [addressRow("found" in addresses ? "ok" : "problem", name, addresses)];
  if (srv !== undefined) rows.push(srvRow("also", serviceOf(name, string), srv));
  if (tcp === undefined) return rows;
  if ("code" in tcp) return [...rows, ["problem", "TCP", subject, connectionText(tcp.code)]];
  rows.push(["ok", "TCP", subject, "accepts connections"]);
  if (tls !== undefined) {
    const [mark, finding] = isLocalWithoutTls(string)
      ? describeUnusedTls(tls)
      : describeTls(tls, string);
    rows.push([mark, "TLS", subject, finding]);
  }
  return rows;
}

function addressRow(mark: Mark, name: string, addresses: HostFacts["addresses"]): Row {
  if ("code" in addresses) return [mark, "addresses", name, dnsText(addresses.code)];
  const all = addresses.found.map((one) => `${one} (${kindOfAddress(one)})`);
  return [mark, "addresses", name, all.join(", ")];
}

/** The kinds of addresses that are not public. */
const addressKinds = [
  [
    "private",
    /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^f[cd]/i,
  ],
  ["this machine", /^127\.|^::1$/],
  ["link-local", /^169\.254\.|^fe[89ab]/i],
  ["an IPv4 address in IPv6", /^::ffff:/i],
] as const;

/** Returns what an address is (RFC 1918, 6598, 4193, 1122, 3927 and 4291). */
export function kindOfAddress(address: string): (typeof addressKinds)[number][0] | "public" {
  return addressKinds.find(([, pattern]) => pattern.test(address))?.[0] ?? "public";
}

function describeTls(
  tls: Answer<CertificateFacts>,
  string: StringFacts,
): [mark: Mark, finding: string] {
  if ("code" in tls) return ["problem", connectionText(tls.code)];
  const { code, client } = tls.found;
  if (client === "missing")
    return ["problem", "the server requires a client certificate, and the string names none"];
  if (client === "refused")
    return ["problem", "the server refuses the client certificate in tlsCertificateKeyFile"];
  if (code === undefined) return ["ok", "the certificate names the host"];
  const finding = describeCertificate(code, tls.found);
  const option = acceptingOption(code, string);
  return option === undefined
    ? ["problem", finding]
    : ["warning", `${finding}, which ${option} allows`];
}

/** Describes what a host answers to a handshake that drivers do not start. */
function describeUnusedTls(tls: Answer<CertificateFacts>): [mark: Mark, finding: string] {
  if ("code" in tls) return ["also", connectionText(tls.code)];
  return ["problem", "the host speaks TLS, but the string does not use it"];
}

/** Returns whether a certificate is not trusted because of the time. */
export function isOfClock(code: string): boolean {
  return code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID";
}

function describeCertificate(code: string, { names, issuer, validity }: CertificateFacts): string {
  if (code === otherName)
    return `the certificate does not name the host, but ${names || "no host"}`;
  const detail = isOfClock(code) ? `valid from ${validity}` : `issued by ${issuer}`;
  return `the certificate is not trusted (${code}), ${detail}`;
}

const closed = "the connection was closed during the TLS handshake";
const alert40 = "the server ended TLS with alert 40 (handshake failure)";

/** Says what the code of a connection means. Any other code is printed as it is. */
function connectionText(code: string): string {
  return connectionTexts.get(code) ?? code;
}

const connectionTexts: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ENETUNREACH", "this network has no route to the address"],
  ["EHOSTUNREACH", "this network has no route to the address"],
  ["ABORT_ERR", `no response within ${connectionTimeoutMs / 1000} s`],
  ["ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR", "the server ended TLS with alert 80 (internal error)"],
  ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", alert40],
  ["ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE", alert40],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "the host does not speak TLS"],
  ["ERR_SSL_PACKET_LENGTH_TOO_LONG", "the host does not speak TLS"],
  ["ECONNRESET", closed],
  ["EPIPE", closed],
]);

/** Says what the code of a question to DNS means. Any other code is printed as it is. */
function dnsText(code: string): string {
  return dnsTexts.get(code) ?? code;
}

const dnsTexts: ReadonlyMap<string, string> = new Map([
  ["ENOTFOUND", "the name does not exist"],
  ["ENODATA", "the name has no such record, or is an alias that leads to none"],
  ["NOSERVICE", "the record says . instead of a host, so the name has no such service"],
  ["BLOCKED", "something blocks the name, because its only address is 0.0.0.0 or ::"],
  ["EBADRESP", "the DNS server sent a response that cannot be read"],
  ["EAI_NONAME", "the name has no address, or does not exist"],
  ["EBADNAME", "no name in DNS can be like this"],
  ["ESERVFAIL", "the DNS server could not answer (SERVFAIL)"],
  ["EREFUSED", "the DNS server refused to answer (REFUSED)"],
  ["ETIMEOUT", "the DNS server does not respond"],
  ["EAI_AGAIN", "the DNS server does not respond or could not answer"],
  ["EAI_FAIL", "the DNS server could not answer"],
  ["ECONNREFUSED", "the DNS server refuses the connection"],
]);
