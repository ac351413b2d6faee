/**
 * `pulumi-clouddb strings --check`: what the names in a connection string resolve to in this network, and whether the
 * hosts accept TLS connections. It does not log in. Of the string, it prints host names and a few known options.
 */
import { Resolver, lookup } from "node:dns/promises";
import { once } from "node:events";
import { BlockList, type Socket, connect, isIP, isIPv6 } from "node:net";
import { checkServerIdentity, connect as startTls } from "node:tls";
import {
  type Classification,
  type Host,
  type ParsedConnectionString,
  classify,
  parse,
} from "clouddb-connection-strings";
import { escapeText } from "../messages/text";
import { UsageError, colored, columns } from "./command";

/** The checks, in the order in which a driver depends on them. */
type Check = "SRV" | "TXT" | "options" | "addresses" | "TCP" | "TLS";

/** One line of the report. */
interface Line {
  readonly check: Check;
  readonly result: "ok" | "problem";
  /** The name, the host or the address that was checked. Escaped, like the finding. */
  readonly subject: string;
  readonly finding: string;
}

/** What `--json` prints. */
export interface ConnectionCheck {
  readonly reachable: boolean;
  readonly kind: Classification["kind"];
  /** The DNS servers that were asked for SRV and TXT records, and with `--resolver` for addresses. */
  readonly resolvers: readonly string[];
  readonly checks: readonly Line[];
  readonly verdict: string;
  /** What happens to the string when private IP mode is disabled. */
  readonly withoutPrivateIpMode: string;
  readonly next: string;
}

/** The network to check from; for tests. */
export interface CheckedNetwork {
  /** A DNS server, as `<host>:<port>`. Default: those of the operating system */
  readonly resolver?: string | undefined;
  /** Opens a TCP connection. Default: to the address itself */
  readonly open?: (address: string, port: number) => Socket;
  /** A further trusted authority. */
  readonly ca?: string;
}

/** Checks a connection string. Throws a ConnectionStringError if the text is none. */
export async function checkConnection(
  text: string,
  network: CheckedNetwork = {},
): Promise<ConnectionCheck> {
  const parsed = parse(text);
  const { kind } = classify(text);
  const names = namesOf(network.resolver);
  const lines: Line[] = [];
  const { hosts, txt } =
    parsed.form === "srv"
      ? await checkService(parsed, names, lines)
      : { hosts: parsed.hosts, txt: "" };
  lines.push(optionsLine(parsed, hosts, txt));
  const checked = await Promise.all(hosts.map((host) => checkHost(host, names, network)));
  lines.push(...checked.flatMap((host) => host.lines));
  const access = [...new Set(checked.flatMap(({ addresses }) => addresses.map(accessOf)))].sort();
  const problem = lines.find(({ result }) => result === "problem")?.check;
  const reachable = problem === undefined;
  return {
    reachable,
    kind,
    resolvers: names.servers,
    checks: lines,
    verdict: `${reachable ? "Reachable" : "Not reachable"}. ${addressVerdict(kind, access.join(" and "))}`,
    withoutPrivateIpMode: withoutPrivateIpMode[kind],
    next: nextStep(kind, access.includes("public"), problem),
  };
}

/** Formats the result for people. */
export function checkReport(result: ConnectionCheck): string {
  const { kind, resolvers, checks, verdict, withoutPrivateIpMode: later, next } = result;
  const rows = checks.map((line) => ["", line.result, line.check, line.subject, line.finding]);
  return [
    `Kind of string: ${kind}. DNS: ${resolvers.join(", ")}.`,
    colored(columns(rows), { ok: "green", problem: "red" }),
    verdict,
    `Without private IP mode: ${later}`,
    `Next: ${next}`,
  ].join("\n");
}

/** How names are resolved. */
interface Names {
  readonly servers: readonly string[];
  readonly resolver: Resolver;
  readonly addresses: (name: string) => Promise<string[]>;
}

/** Without a given server, addresses come from the operating system, as for drivers: it also reads its hosts file. */
function namesOf(server: string | undefined): Names {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  try {
    if (server !== undefined) resolver.setServers([server]);
  } catch {
    throw new UsageError("--resolver is the IP address of a DNS server, with or without a port.");
  }
  const found = async (name: string) =>
    (await lookup(name, { all: true })).map((each) => each.address);
  const asked = async (name: string) => {
    const answers = [resolver.resolve4(name), resolver.resolve6(name)];
    const [ipv4, ipv6] = await Promise.allSettled(answers);
    const addresses = [ipv4, ipv6].flatMap((each) =>
      each?.status === "fulfilled" ? each.value : [],
    );
    if (addresses.length === 0 && ipv4?.status === "rejected") throw ipv4.reason;
    return addresses;
  };
  return {
    servers: resolver.getServers(),
    resolver,
    addresses: server === undefined ? found : asked,
  };
}

/** Looks up the SRV and TXT records of a string. */
async function checkService(
  { scheme, hosts: [host], options = "" }: ParsedConnectionString,
  { resolver }: Names,
  lines: Line[],
): Promise<{ hosts: readonly Host[]; txt: string }> {
  const name = host?.name ?? "";
  const service = optionsIn(options).get("srvservicename") ?? scheme.replace(/\+srv$/i, "");
  const srvName = `_${service}._tcp.${name}`;
  const hosts: Host[] = [];
  try {
    const records = await resolver.resolveSrv(srvName);
    hosts.push(...records.map((record) => ({ name: record.name, port: record.port })));
    // Drivers refuse hosts of other domains.
    const domain = name.slice(name.indexOf(".")).toLowerCase();
    const foreign = hosts.find((each) => !each.name.toLowerCase().endsWith(domain));
    lines.push(
      foreign === undefined
        ? line("SRV", srvName, `${hosts.length} ${hosts.length === 1 ? "host" : "hosts"}`)
        : problemLine("SRV", srvName, `drivers refuse ${foreign.name}, which is in another domain`),
    );
  } catch (error) {
    lines.push(problemLine("SRV", srvName, reason(error)));
    return { hosts, txt: "" };
  }
  try {
    const records = (await resolver.resolveTxt(name)).map((parts) => parts.join(""));
    const txt = records.join("&");
    const refused = [...optionsIn(txt).keys()].find((option) => !txtOptions.includes(option));
    if (records.length > 1) lines.push(problemLine("TXT", name, "drivers refuse several records"));
    else if (refused === undefined) lines.push(line("TXT", name, txt));
    else lines.push(problemLine("TXT", name, `drivers refuse the option ${refused}`));
    return { hosts, txt };
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENODATA";
    lines.push(isAbsent ? line("TXT", name, "none") : problemLine("TXT", name, reason(error)));
    return { hosts, txt: "" };
  }
}

/** The options that drivers accept in TXT records, in lower case. */
const txtOptions = ["authsource", "replicaset", "loadbalanced"];

/** Reads options. Their names are in lower case, because drivers ignore the case. */
function optionsIn(text: string): Map<string, string> {
  const parameters = new URLSearchParams(text);
  return new Map([...parameters].map(([name, value]) => [name.toLowerCase(), value]));
}

/** Checks the options that decide whether a driver can connect at all. */
function optionsLine(
  { form, database, options }: ParsedConnectionString,
  hosts: readonly Host[],
  txt: string,
): Line {
  const all = new Map([...optionsIn(txt), ...optionsIn(options ?? "")]);
  const tls = all.get("tls") ?? all.get("ssl") ?? String(form === "srv");
  if (tls !== "true") return problemLine("options", "", "drivers do not use TLS without tls=true");
  if (all.get("loadbalanced") === "true" && (hosts.length > 1 || all.has("replicaset"))) {
    return problemLine("options", "", "loadBalanced=true requires one host and no replicaSet");
  }
  const source = all.get("authsource") ?? (database || "admin");
  return line("options", "", `TLS, authentication in the database ${source}`);
}

/** Resolves a host and connects to it. */
async function checkHost(
  { name, port = 27_017 }: Host,
  names: Names,
  { open = (address, to) => connect(to, address), ca }: CheckedNetwork,
): Promise<{ lines: Line[]; addresses: string[] }> {
  const host = name.replace(/^\[|\]$/g, "");
  const subject = `${name}:${port}`;
  try {
    const addresses = isIP(host) === 0 ? await names.addresses(host) : [host];
    const described = addresses.map((address) => `${address} (${accessOf(address)})`).join(", ");
    const lines = [line("addresses", name, described)];
    const connection = await firstConnection(addresses, (address) => open(address, port));
    if (typeof connection === "string") lines.push(problemLine("TCP", subject, connection));
    else {
      lines.push(line("TCP", subject, "accepts connections"));
      const problem = await tlsProblem(connection, host, ca).catch(reason);
      if (problem === undefined) lines.push(line("TLS", subject, "the certificate names the host"));
      else lines.push(problemLine("TLS", subject, problem));
      connection.destroy();
    }
    return { lines, addresses };
  } catch (error) {
    return { lines: [problemLine("addresses", name, reason(error))], addresses: [] };
  }
}

/** How long a connection may take, in milliseconds. */
const connectionTimeout = 5000;

/** Connects to the first address that accepts a connection, or returns why the last one did not. */
async function firstConnection(
  addresses: readonly string[],
  open: (address: string) => Socket,
): Promise<Socket | string> {
  let problem = "the name has no address";
  for (const address of addresses) {
    const socket = open(address).on("error", () => undefined);
    try {
      await once(socket, "connect", { signal: AbortSignal.timeout(connectionTimeout) });
      return socket;
    } catch (error) {
      socket.destroy();
      problem = reason(error);
    }
  }
  return problem;
}

/** Starts TLS on a connection. Returns why a driver would end it; undefined if it would not. */
async function tlsProblem(socket: Socket, host: string, ca?: string): Promise<string | undefined> {
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const tls = startTls({
    socket,
    ...servername,
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: false,
  });
  tls.on("error", () => undefined);
  await once(tls, "secureConnect", { signal: AbortSignal.timeout(connectionTimeout) });
  const mismatch = checkServerIdentity(host, tls.getPeerCertificate());
  if (mismatch !== undefined) return "the certificate does not name the host";
  // The error is a code, although its type says otherwise.
  return tls.authorized
    ? undefined
    : `the certificate is not trusted (${String(tls.authorizationError)})`;
}

const privateAddresses = new BlockList();
for (const [address, bits] of [
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
] as const) {
  privateAddresses.addSubnet(address, bits);
}
privateAddresses.addSubnet("fc00::", 7, "ipv6");
privateAddresses.addAddress("::1", "ipv6");

function accessOf(address: string): "private" | "public" {
  return privateAddresses.check(address, isIPv6(address) ? "ipv6" : "ipv4") ? "private" : "public";
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "the name does not exist",
  ENODATA: "the name has no such record",
  ETIMEOUT: "the DNS server does not respond",
  EAI_AGAIN: "the DNS server does not respond",
  ECONNREFUSED: "connection refused",
  ABORT_ERR: `no response within ${connectionTimeout / 1000} s`,
};

function reason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return reasons[code] ?? code;
}

function line(check: Check, subject: string, finding: string): Line {
  return { check, result: "ok", subject: escapeText(subject), finding: escapeText(finding) };
}

function problemLine(check: Check, subject: string, finding: string): Line {
  return { ...line(check, subject, finding), result: "problem" };
}

function addressVerdict(kind: Classification["kind"], access: string): string {
  if (access === "") return "No host resolves to an address.";
  const found = `The hosts resolve to ${access} addresses`;
  if (access === "private") return `${found}.`;
  if (kind === "legacy") return `${found}, so private IP mode is disabled.`;
  if (kind !== "standard") return `${found}.`;
  return `${found}, so this network is not peered with the cluster's, its DNS is custom, or the cluster is not in provider A.`;
}

/** Service document 2.6: only legacy names depend on the mode. */
const withoutPrivateIpMode: Readonly<Record<Classification["kind"], string>> = {
  legacy: "the legacy host names resolve to public addresses.",
  standard: "no change. The host names do not depend on the mode.",
  peeringPrivate: "no change. The host names resolve to private addresses in either mode.",
  privateEndpoint: "no change. The host names resolve to private addresses in either mode.",
  optimizedPrivateEndpoint:
    "no change. The host names resolve to private addresses in either mode.",
  unknown: "not known, because the host names match no pattern of the service document.",
};

/** What to do after the first problem. */
const remedies: Readonly<Record<Exclude<Check, "TCP">, string>> = {
  SRV: "compare the string with that of pulumi-clouddb strings --project ID --cluster NAME. If it is the same, ask another DNS server with --resolver.",
  TXT: "use the string of pulumi-clouddb strings --project ID --cluster NAME.",
  options: "use the string of pulumi-clouddb strings --project ID --cluster NAME.",
  addresses:
    "ask another DNS server with --resolver. If only that one knows the name, change this network's DNS.",
  TLS: "look for a proxy between this network and the cluster. If the certificate is of a private authority, set NODE_EXTRA_CA_CERTS and the driver's tlsCAFile to it.",
};

function nextStep(
  kind: Classification["kind"],
  isPublic: boolean,
  problem: Check | undefined,
): string {
  if (problem === "TCP") {
    return isPublic
      ? "add this network's public address to the project's IP access list."
      : "check the routes of the peering or the private endpoint, and the security rules of this network.";
  }
  if (problem !== undefined) return remedies[problem];
  if (kind === "legacy")
    return "switch to the string of --network peering before private IP mode is disabled.";
  if (isPublic && kind === "standard")
    return "in a peered network, use the string of --network peering.";
  return "connect with the application's driver, which also checks the user and password.";
}
