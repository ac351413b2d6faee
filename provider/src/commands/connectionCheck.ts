/**
 * `pulumi-clouddb strings --check`: whether a connection string has a mistake, whether its names resolve in this
 * network, and whether its hosts accept TLS connections. It is no driver: it does not log in, and knows few of the
 * rules about options. It prints only the host names of the string.
 */
import { Resolver, lookup } from "node:dns/promises";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type Socket, connect, isIP } from "node:net";
import { connect as startTls } from "node:tls";
import {
  type Diagnosis,
  type Host,
  type ParsedConnectionString,
  diagnose,
  parse,
} from "clouddb-connection-strings";
import { isBug, ProviderError } from "../messages/errors";
import { escapeText } from "../messages/text";
import { UsageError, columns } from "./command";

/** What to do about a problem, if names were asked of these DNS servers. */
const adviceFor = (servers: string) => ({
  tls: "Set tls=true in the options of the string.",
  file: "Run the check where the application runs, with the same files.",
  records: `Ask another DNS server than ${servers} with --resolver. If only that one knows the name, change this network's DNS. ${hostList}`,
  name: `Use the name that the service returned, and no other one. ${hostList}`,
  addresses: `Ask another DNS server than ${servers} with --resolver. If only that one knows the name, change this network's DNS.`,
  route:
    "For public addresses, add this network to the project's IP access list. For private ones, check the routes of the peering or the private endpoint, and the security rules.",
  accessList:
    "First, add this network's address to the project's IP access list, because Atlas ends TLS like this for other addresses. Otherwise, look for a proxy between this network and the cluster.",
  clock: "Check the clock of this machine. If it is right, look for a proxy.",
  authority:
    "Look for a proxy between this network and the cluster. For a private authority, set NODE_EXTRA_CA_CERTS and the driver's tlsCAFile to its certificate.",
  proxy: "Look for a proxy between this network and the cluster.",
});

const hostList = 'The list of hosts (form: "hosts") needs neither SRV nor TXT.';

/** The checks, in the order in which a driver depends on them. */
type Check = "string" | "options" | "SRV" | "TXT" | "addresses" | "TCP" | "TLS";

/** The advice that follows from a check and the code of its problem. The first row that matches counts. */
const advices: readonly (readonly [problem: RegExp, advice: keyof ReturnType<typeof adviceFor>])[] =
  [
    [/^options tls/, "tls"],
    [/^options/, "file"],
    [/^(?:SRV|TXT) E/, "records"],
    [/^(?:SRV|TXT)/, "name"],
    [/^addresses/, "addresses"],
    [/^TCP/, "route"],
    [/^TLS .*ALERT_(?:INTERNAL_ERROR|HANDSHAKE_FAILURE)|^TLS (?:ECONNRESET|EPIPE)/, "accessList"],
    [/^TLS CERT_(?:HAS_EXPIRED|NOT_YET_VALID)/, "clock"],
    [/^TLS (?:ERR_|ABORT_ERR)/, "proxy"],
    [/^TLS/, "authority"],
  ];

const connectionTimeoutMs = 5000;

const meanings: readonly (readonly [problem: RegExp, meaning: string])[] = [
  [/ ENOTFOUND$/, "the name does not exist"],
  [/ ENODATA$/, "the name has no such record, or is an alias that leads to none"],
  [/ ESERVFAIL$/, "the DNS server could not answer (SERVFAIL)"],
  [/ EREFUSED$/, "the DNS server refused to answer (REFUSED)"],
  [/ ETIMEOUT$/, "the DNS server does not respond"],
  [/ EAI_AGAIN$/, "the DNS server does not respond or could not answer"],
  [/^(?:SRV|TXT|addresses) ECONNREFUSED$/, "nobody listens at the address of the DNS server"],
  [/ ECONNREFUSED$/, "connection refused"],
  [/ ABORT_ERR$/, `no response within ${connectionTimeoutMs / 1000} s`],
  [/ALERT_INTERNAL_ERROR/, "the server ended TLS with alert 80 (internal error)"],
  [/ALERT_HANDSHAKE_FAILURE/, "the server ended TLS with alert 40 (handshake failure)"],
  [/ (?:ECONNRESET|EPIPE)$/, "the connection was closed during the TLS handshake"],
  [/^options E/, "the file of tlsCAFile cannot be read"],
];

/** A problem whose finding is more than the meaning of its code. Codes of ours are in lower case. */
class CheckProblem extends Error {
  readonly code: string;

  constructor(code: string, finding: string) {
    super(finding);
    this.code = code;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

export interface CheckedNetwork {
  /** A DNS server, as `<host>:<port>`. Default: those of the operating system */
  readonly resolver?: string | undefined;
  /** Opens a TCP connection; for tests. Default: to the address itself */
  readonly open?: (address: string, port: number) => Socket;
}

/** Returns the checks, one a line, and what to do about the first problem. Throws if the string has a mistake. */
export async function checkConnection(
  text: string,
  { resolver, open = (address, port) => connect(port, address) }: CheckedNetwork = {},
): Promise<{ readonly isReachable: boolean; readonly report: string }> {
  const string = readConnectionString(text);
  const names = namesOf(resolver);
  const checks = new Checks(names.servers);
  if (text !== text.trim())
    checks.add("warning", "string", "", "white space around it, which some drivers do not remove");
  const options = optionsOf(string);
  const tls = await checks.run("options", "", () => tlsOf(string, options));
  const members = tls && (await membersOf(string, options, names, checks));
  const hosts = await Promise.all(
    (members?.hosts ?? []).map((host) => checkHost(host, names, open, tls ?? {})),
  );
  const failed = hosts.filter((host) => host.problem !== undefined);
  const others = failed.map(({ host }) => escapeText(host)).join(", ");
  const answering = hosts.length - failed.length;
  const rows = columns([checks, ...hosts].flatMap((check) => check.rows));
  if (answering > (members?.isReplicaSet === true ? hosts.length / 2 : 0)) {
    const end = others === "" ? "" : `, except for ${others}. A host can be down for maintenance`;
    return { isReachable: true, report: `${rows}\nReachable${end}.` };
  }
  const minority = `The replica set may have no primary without ${others}. Check the routes and security rules to them, unless they are in maintenance.`;
  const problem = checks.problem ?? (answering > 0 ? minority : failed[0]?.problem);
  return { isReachable: false, report: `${rows}\nNot reachable. ${problem ?? ""}` };
}

/** The results of checks, as rows of a table: the result, the check, what was checked, and what was found. */
class Checks {
  /** The DNS servers that are asked, and the host, if the checks are about one. */
  readonly servers: string;
  readonly host: string;
  readonly rows: string[][] = [];
  problem: string | undefined;

  constructor(servers: string, host = "") {
    this.servers = servers;
    this.host = host;
  }

  add(result: "ok" | "warning" | "problem", check: Check, subject: string, finding: string): void {
    this.rows.push([result, check, escapeText(subject), escapeText(finding)]);
  }

  /** Runs a check, which returns its result and how to describe it. Returns undefined if it found a problem. */
  async run<Result>(
    check: Check,
    subject: string,
    work: () => Promise<Checked<Result>> | Checked<Result>,
  ): Promise<Result | undefined> {
    try {
      const [result, finding, severity = "ok"] = await work();
      this.add(severity, check, subject, finding);
      return result;
    } catch (error) {
      if (isBug(error)) throw error;
      const code = `${check} ${codeOf(error)}`;
      const [, meaning = code] = meanings.find(([pattern]) => pattern.test(code)) ?? [];
      this.add("problem", check, subject, error instanceof CheckProblem ? error.message : meaning);
      const [, advice = "proxy"] = advices.find(([pattern]) => pattern.test(code)) ?? [];
      this.problem ??= adviceFor(this.servers)[advice];
      return undefined;
    }
  }
}

type Checked<Result> = readonly [Result, finding: string, severity?: "warning"];

/** Returns the values of options. Drivers ignore the case of their names. */
function optionsOf({ options }: ParsedConnectionString): ReadonlyMap<string, string> {
  const all = [...new URLSearchParams(options)];
  return new Map(all.map(([name, value]) => [name.toLowerCase(), value]));
}

/** How drivers check certificates: the authorities, and the options by which they accept others. */
interface Tls {
  readonly ca?: string | undefined;
  readonly anyCertificate?: string | undefined;
  readonly anyName?: string | undefined;
}

/** Throws if a driver would send the password without TLS. */
function tlsOf(
  { form }: ParsedConnectionString,
  options: ReadonlyMap<string, string>,
): Checked<Tls> {
  const tls = options.get("tls") ?? options.get("ssl");
  if (tls === "false") throw new CheckProblem("tls", "the string turns TLS off");
  if (tls === undefined && form === "hosts")
    throw new CheckProblem("tls", "drivers do not use TLS without tls=true");
  const enabled = (...names: string[]) =>
    names.find((name) => options.get(name.toLowerCase()) === "true");
  const anyCertificate = enabled("tlsInsecure", "tlsAllowInvalidCertificates");
  const anyName = anyCertificate ?? enabled("tlsAllowInvalidHostnames");
  const file = options.get("tlscafile");
  const found = { ca: file && readFileSync(file, "utf8"), anyCertificate, anyName };
  if (anyName === undefined) return [found, "drivers use TLS"];
  return [found, `drivers use TLS, but with ${anyName} any server can answer`, "warning"];
}

type Names = ReturnType<typeof namesOf>;

/** Without a given server, addresses come from the operating system, as for drivers, with the hosts file. */
function namesOf(server: string | undefined) {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  try {
    if (server !== undefined) resolver.setServers([server]);
  } catch {
    throw new UsageError(
      "--resolver must be the IP address of a DNS server, with or without a port",
    );
  }
  const notEmpty = <T>(records: T[]) => {
    if (records.length > 0) return records;
    throw new CheckProblem("ENODATA", "the name is an alias that leads to no record");
  };
  const fromSystem = async (name: string) =>
    (await lookup(name, { all: true })).map(({ address }) => address);
  const fromServer = async (name: string) => {
    const ipv6 = await resolver.resolve6(name).catch(() => []);
    const ipv4 = resolver.resolve4(name);
    return [...(await (ipv6.length > 0 ? ipv4.catch(() => []) : ipv4)), ...ipv6];
  };
  return {
    servers: resolver.getServers().join(", "),
    addresses: async (name: string) =>
      notEmpty(await (server === undefined || isLocal.test(name) ? fromSystem : fromServer)(name)),
    srv: async (name: string) => notEmpty(await resolver.resolveSrv(name)),
    txt: (name: string) => resolver.resolveTxt(name),
  };
}

/** The names of this machine (RFC 6761), which a DNS server may not know. */
const isLocal = /(?:^|\.)localhost\.?$/i;

async function membersOf(
  { scheme, form, hosts }: ParsedConnectionString,
  options: ReadonlyMap<string, string>,
  names: Names,
  checks: Checks,
) {
  const isReplicaSet = options.has("replicaset");
  if (form === "hosts") return { hosts, isReplicaSet };
  const name = hosts.map((host) => host.name).join("");
  const service = options.get("srvservicename") ?? scheme.replace(/\+srv$/i, "");
  const record = `_${service}._tcp.${name}`;
  const targets = await checks.run("SRV", record, async () => {
    const found = await names.srv(record);
    const domain = domainOf(name);
    const other = found.find((host) => !host.name.toLowerCase().endsWith(domain));
    if (other === undefined)
      return [found, `${found.length} ${found.length === 1 ? "host" : "hosts"}`];
    const finding = `drivers refuse ${other.name}, because it is of another domain than ${name}`;
    throw new CheckProblem("domain", finding);
  });
  if (targets === undefined) return undefined;
  return await checks.run("TXT", name, async () => {
    const records = await names.txt(name).catch((error: unknown) => {
      if (/^(?:ENOTFOUND|ENODATA)$/.test(codeOf(error))) return [];
      throw error;
    });
    const txt = new URLSearchParams(records[0]?.join(""));
    const isValid = [...txt].every(([key, value]) => txtOptions.includes(key) && value !== "");
    if (!isValid || records.length > 1)
      throw new CheckProblem("txt", `drivers accept one record with ${txtOptions.join(", ")}`);
    const members = { hosts: targets, isReplicaSet: isReplicaSet || txt.has("replicaSet") };
    const isBalanced = [options.get("loadbalanced"), txt.get("loadBalanced")].includes("true");
    if (isBalanced && (members.isReplicaSet || targets.length > 1))
      throw new CheckProblem("txt", "with loadBalanced, drivers accept one host and no replicaSet");
    return [members, txt.size === 0 ? "no options" : `sets ${[...txt.keys()].join(", ")}`];
  });
}

/** The options that drivers accept in a TXT record, in this spelling only. */
const txtOptions = ["authSource", "replicaSet", "loadBalanced"];

/** Returns how hosts of SRV records must end: in the domain of the name, or in a name of at most two labels. */
function domainOf(name: string): string {
  const labels = name.toLowerCase().replace(/\.$/, "").split(".");
  return `.${labels.slice(labels.length < 3 ? 0 : 1).join(".")}`;
}

async function checkHost(
  { name, port = 27_017 }: Host,
  names: Names,
  open: (address: string, port: number) => Socket,
  tls: Tls,
): Promise<Checks> {
  const checks = new Checks(names.servers, `${name}:${port}`);
  const host = name.replace(/^\[|\]$/g, "");
  const addresses = await checks.run("addresses", name, async () => {
    const found = isIP(host) === 0 ? await names.addresses(host) : [host];
    const access = (address: string) => (privateAddress.test(address) ? "private" : "public");
    return [found, found.map((address) => `${address} (${access(address)})`).join(", ")];
  });
  if (addresses === undefined) return checks;
  const socket = await checks.run("TCP", checks.host, async () => {
    const connection = await firstConnection(addresses, (address) => open(address, port));
    return [connection, "accepts connections"];
  });
  if (socket === undefined) return checks;
  await checks.run("TLS", checks.host, async () => {
    const servername = isIP(host) === 0 ? host : "";
    const secured = startTls({ socket, host, servername, rejectUnauthorized: false, ca: tls.ca });
    secured.on("error", () => undefined);
    await once(secured, "secureConnect", { signal: AbortSignal.timeout(connectionTimeoutMs) });
    if (secured.authorized) return [undefined, "the certificate names the host"];
    // The error is a code, although its type says otherwise.
    const code = String(secured.authorizationError);
    const isName = code === "ERR_TLS_CERT_ALTNAME_INVALID";
    const finding = `the certificate ${isName ? "does not name the host" : `is not trusted (${code})`}`;
    const option = isName ? tls.anyName : tls.anyCertificate;
    if (option === undefined) throw new CheckProblem(code, finding);
    return [undefined, `${finding}, which ${option} allows`, "warning"];
  });
  socket.destroy();
  return checks;
}

/** Connects to the first address that accepts a connection. Throws the error of the last one. */
async function firstConnection(
  addresses: readonly string[],
  open: (address: string) => Socket,
): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses) {
    const socket = open(address).on("error", () => undefined);
    try {
      await once(socket, "connect", { signal: AbortSignal.timeout(connectionTimeoutMs) });
      return socket;
    } catch (error) {
      socket.destroy();
      failure = error;
    }
  }
  throw failure;
}

/** The addresses of RFC 1918, 6598 and 4193, and those of the machine itself. */
const privateAddress =
  /^(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^f[cd]|^::1$/;

/** Texts in which a driver, or this check, would not find what is meant. */
const otherTexts: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [
    /Calling.{1,60}Output.{1,30}not.{1,3}supported|\[object \w+\]|%5Bobject%20/i,
    "The program put an output or another object into a text. Use pulumi.interpolate or apply.",
  ],
  [
    /^\W*(?:jdbc:|(?:amqps?|bolt|cassandra|https?|mariadb|mssql|mysqlx?|neo4j|oracle|postgres(?:ql)?|rediss?|sqlite|sqlserver)(?:\+\w+)?:\/\/)/i,
    "Its scheme is that of another kind of server. Use the connection string of a cluster.",
  ],
  [
    /^\W*(?:(?:export|set)\s+)?\w[\w.-]*\s*[=:]\s*["']?[a-z][a-z0-9+.-]*:\/\//i,
    "It begins with a name and = or :. Remove them where the variable is set.",
  ],
  [
    /^[^?]*\?[^]*@/,
    "An @ follows a question mark, so the host is not known. In a user name or password, ?, / and @ must be %3F, %2F and %40. In an option, @ must be %40.",
  ],
];

/** What is wrong with a string, and what to do. The error of `parse` says it for the other codes. */
const problems: Partial<Record<Diagnosis["code"], (subject: string | undefined) => string>> = {
  quotes: () =>
    "It begins and ends with a quote. Remove the quotes where the variable is set. A file for docker --env-file needs none.",
  quote: () => "It begins or ends with a quote. Remove the quote where the variable is set.",
  "no-scheme": () => "It does not begin with a scheme, such as <scheme>:// or <scheme>+srv://.",
  "no-host": () => "It has no host.",
  "unencoded-character": (character = "") =>
    `${character === " " ? "A space" : `The character ${character}`} in the user name or password must be ${encodeURIComponent(character)}.`,
  placeholder: (part = "rest") =>
    `The ${part} is a placeholder, such as <password>. Replace it with the real one.`,
  "repeated-option": (option = "that drivers do not know") =>
    `The option ${option} is in it twice, with different values. Keep one.`,
  "option-value": (option) =>
    `The option ${option} has a value that it cannot have. If another option follows, put an & between them. A path with a database belongs before the options.`,
};

/** Reads a connection string. Throws a ProviderError or a ConnectionStringError that says what is wrong with it. */
function readConnectionString(text: string): ParsedConnectionString {
  const findings = diagnose(text);
  const found = findings.flatMap(({ code, subject }) => problems[code]?.(subject) ?? []);
  const [, other] = otherTexts.find(([pattern]) => pattern.test(text)) ?? [];
  const isBase64 =
    !text.includes(":") && /^[\w+.-]+:\/\//.test(Buffer.from(text, "base64").toString());
  const sentence = isBase64 ? "It is base64, as in a Kubernetes Secret. Decode it." : other;
  if (sentence !== undefined || found.length > 0) {
    throw new ProviderError(
      `the text is not a connection string that drivers accept. ${sentence ?? [...new Set(found)].join(" ")}`,
    );
  }
  return parse(text.trim());
}
