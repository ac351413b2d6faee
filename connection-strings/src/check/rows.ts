/** The facts as rows, in the order in which a driver depends on them. */
import { type Finding, sentencesOf } from "../rules/drivers";
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
  acceptingOption,
  allFindings,
  differenceIn,
  foreignHost,
  isLocalWithoutTls,
  hasSrvRecords,
  isMistaken,
  isValidTxt,
  kindOfName,
  optionsOfTxt,
  saysCluster,
  serviceOf,
  tlsOf,
  txtOptions,
} from "./rules";

/** With a problem, drivers do not work. `also` is a fact that no driver asks for. */
export type Mark = "ok" | "warning" | "problem" | "also";
type Check = "string" | "options" | "SRV" | "TXT" | "addresses" | "TCP" | "TLS";
export type Row = readonly [
  mark: Mark,
  check: Check,
  subject: string,
  finding: string,
  /** What to do about a problem, as sentences. */
  advice?: string | undefined,
];

/** Advice for a name whose records are wrong or missing. */
export const useList = 'The list of hosts (form: "hosts") needs neither SRV nor TXT.';
export const askOtherServer = "Ask another DNS server with --resolver.";
const useReturnedName = `Use the name that the service returned, and no other one. ${useList}`;
const removeSet = "Remove replicaSet from the string, so that drivers take the one in TXT.";
const setTls = "Set tls=true in the options of the string.";

/** Returns the rows of everything but the hosts. */
export function rowsBeforeHosts(facts: Facts): Row[] {
  const { string, cluster } = facts;
  const rows: Row[] = [];
  for (const finding of allFindings(facts)) rows.push(findingRow(finding, cluster));
  if (!isMistaken(string)) rows.push(tlsRow(facts));
  if (string.unusableFile !== undefined) {
    const { option, problem, code, advice } = string.unusableFile;
    rows.push(["problem", "options", "", `the file of ${option} ${problem} (${code})`, advice]);
  }
  if (cluster !== undefined) rows.push(...clusterRows(facts, cluster));
  return [...rows, ...comparisonRows(facts)];
}

function findingRow(finding: Finding, cluster: ClusterFacts | undefined): Row {
  const { code, degree, problem, advice, subject } = finding;
  const check = code.includes("option") ? "options" : "string";
  if (degree === "warning") return ["warning", check, "", `${problem}. ${advice}`];
  // It names no option of the string, so it is about those in TXT.
  const isOfTxt = cluster !== undefined && subject === undefined && isValidTxt(cluster);
  const sentences = sentencesOf(finding);
  return ["problem", check, "", problem, isOfTxt ? `${sentences} ${useList}` : sentences];
}

function tlsRow({ string, hosts }: Facts): Row {
  const tls = tlsOf(string);
  if (tls !== "on") {
    const finding =
      tls === "off" ? "the string turns TLS off" : "drivers do not use TLS without tls=true";
    if (isLocalWithoutTls(string))
      return ["warning", "options", "", `${finding}, and the string names no cluster`];
    // Names of clusters move to SRV form, which implies TLS.
    const isImplied = tls === "missing" && hosts.length > 0 && hosts.every(hasSrvRecords);
    return ["problem", "options", "", finding, isImplied ? undefined : setTls];
  }
  const option = acceptingOption(otherName, string);
  if (option === undefined) return ["ok", "options", "", "drivers use TLS"];
  return ["warning", "options", "", `drivers use TLS, but with ${option} any server can answer`];
}

function clusterRows(facts: Facts, cluster: ClusterFacts): Row[] {
  const { name, srv, txt, addresses } = cluster;
  const service = serviceOf(name, facts.string);
  const rows: Row[] = [];
  const foreign = foreignHost(cluster);
  if (foreign === undefined) {
    const mark = "code" in srv ? "problem" : "ok";
    rows.push(srvRow(mark, service, srv, adviceAboutName(facts, cluster)));
  } else {
    const finding = `drivers refuse ${foreign.name}, because it is of another domain than ${name}`;
    rows.push(["problem", "SRV", service, finding, useReturnedName]);
  }
  if (txt !== undefined) rows.push(txtRow(cluster, txt));
  if (addresses !== undefined) rows.push(addressRow("also", name, addresses));
  return rows;
}

function srvRow(mark: Mark, service: string, srv: ClusterFacts["srv"], advice?: string): Row {
  if ("code" in srv) return [mark, "SRV", service, textOf(srv.code, dnsTexts), advice];
  const { length } = srv.found;
  return [mark, "SRV", service, `${length} ${length === 1 ? "host" : "hosts"}`];
}

/** Returns what to do about a name without SRV records, if its other records say what it is. */
function adviceAboutName({ servers, string }: Facts, cluster: ClusterFacts): string | undefined {
  const { name } = cluster;
  const { scheme, options } = string;
  const kind = kindOfName(cluster);
  if (kind === "host")
    return `${name} has an address and no SRV records, so it is the name of a host. After ${scheme}+srv://, use the name of the cluster, as the service returned it. Or use ${scheme}:// with the list of all hosts and their ports.`;
  if (kind !== "cluster") return undefined;
  const remedy = options.has("srvservicename")
    ? "Remove srvServiceName from the string."
    : askOtherServer;
  return `TXT says that ${name} is the name of a cluster, but DNS at ${servers} has no SRV records of ${serviceOf(name, string)}. ${remedy} ${useList}`;
}

function txtRow(cluster: ClusterFacts, txt: Answer<unknown>): Row {
  const { name, srv } = cluster;
  // Drivers need TXT only if there are SRV records.
  const mark = "code" in srv ? "also" : "problem";
  // A name with SRV records exists, also where DNS says otherwise for TXT.
  const isUnknown = "code" in srv && codeIn(txt) === "ENOTFOUND";
  if ("code" in txt && (isUnknown || !isNone(txt)))
    return [mark, "TXT", name, textOf(txt.code, dnsTexts)];
  if (!isValidTxt(cluster)) {
    const finding = `drivers accept one record with ${txtOptions.join(", ")}`;
    return [mark, "TXT", name, finding, useReturnedName];
  }
  const names = [...optionsOfTxt(cluster).keys()];
  const finding = names.length === 0 ? "no options" : `sets ${names.join(", ")}`;
  return ["code" in srv ? "also" : "ok", "TXT", name, finding];
}

/** Returns the rows of the options about which the string and TXT disagree. */
function comparisonRows(facts: Facts): Row[] {
  const { cluster, string } = facts;
  if (cluster === undefined || "code" in cluster.srv) return [];
  const { options } = string;
  const rows: Row[] = [];
  const set = differenceIn("replicaSet", facts);
  const source = differenceIn("authSource", facts);
  const isSetUnknown = saysCluster(cluster) && !optionsOfTxt(cluster).has("replicaSet");
  if (set !== undefined) rows.push(["problem", "options", "", set, removeSet]);
  if (options.has("replicaset") && isSetUnknown) {
    const finding = "remove replicaSet if the cluster is sharded, because TXT names no replica set";
    rows.push(["warning", "options", "", finding]);
  }
  // Mechanisms such as X.509 need this source, whatever TXT says.
  if (source !== undefined && options.get("authsource") !== "$external")
    rows.push(["warning", "options", "", source]);
  return rows;
}

/** Returns the rows of a host. */
export function hostRows(host: HostFacts, string: StringFacts): Row[] {
  const { name, port, addresses, tcp, tls, srv } = host;
  const subject = `${name}:${port}`;
  const rows = [addressRow("found" in addresses ? "ok" : "problem", name, addresses)];
  if (srv !== undefined) rows.push(srvRow("also", serviceOf(name, string), srv));
  if (tcp === undefined) return rows;
  if ("code" in tcp)
    return [...rows, ["problem", "TCP", subject, textOf(tcp.code, connectionTexts)]];
  rows.push(["ok", "TCP", subject, "accepts connections"]);
  return tls === undefined ? rows : [...rows, handshakeRow(subject, tls, string)];
}

function addressRow(mark: Mark, name: string, addresses: HostFacts["addresses"]): Row {
  if ("code" in addresses) return [mark, "addresses", name, textOf(addresses.code, dnsTexts)];
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

function handshakeRow(subject: string, tls: Answer<CertificateFacts>, string: StringFacts): Row {
  // Drivers do not start this handshake, which must fail.
  const isUnused = isLocalWithoutTls(string);
  if ("code" in tls)
    return [isUnused ? "also" : "problem", "TLS", subject, textOf(tls.code, connectionTexts)];
  if (isUnused) {
    const finding = "the host speaks TLS, but the string does not use it";
    return ["problem", "TLS", subject, finding, setTls];
  }
  const { code, client } = tls.found;
  if (client !== undefined) return ["problem", "TLS", subject, clientTexts[client]];
  if (code === undefined) return ["ok", "TLS", subject, "the certificate names the host"];
  const finding = describeCertificate(code, tls.found);
  const option = acceptingOption(code, string);
  return option === undefined
    ? ["problem", "TLS", subject, finding]
    : ["warning", "TLS", subject, `${finding}, which ${option} allows`];
}

const clientTexts = {
  missing: "the server requires a client certificate, and the string names none",
  refused: "the server refuses the client certificate in tlsCertificateKeyFile",
};

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

/** Returns what a code means. One that is not in the table is printed as it is. */
function textOf(code: string, texts: ReadonlyMap<string, string>): string {
  return texts.get(code) ?? code;
}

const closed = "the connection was closed during the TLS handshake";
const alert40 = "the server ended TLS with alert 40 (handshake failure)";

/** What codes of connections mean. */
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

/** What codes of questions to DNS mean. */
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
