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
  clusterDomain,
  parse,
} from "clouddb-connection-strings";
import { escapeText } from "../messages/text";
import { UsageError, colorWords, columns } from "./command";

/** The checks, in the order in which a driver depends on them. */
type Check = "SRV" | "TXT" | "options" | "addresses" | "TCP" | "TLS";

/** One line of the report. */
interface Line {
  readonly check: Check;
  readonly result: "ok" | "problem";
  /** The name or the host that was checked. Escaped, like the finding. */
  readonly subject: string;
  readonly finding: string;
}

type Kind = Classification["kind"];

/** What `--json` prints. */
export interface ConnectionCheck {
  readonly reachable: boolean;
  readonly kind: Kind;
  /** The DNS servers that were asked for SRV and TXT records, and with `--resolver` for addresses. */
  readonly resolvers: readonly string[];
  readonly checks: readonly Line[];
  readonly verdict: string;
  /** What happens to the string when private IP mode is disabled. */
  readonly withoutPrivateIpMode: string;
  readonly next: string;
}

/** The network to check from. */
export interface CheckedNetwork {
  /** A DNS server, as `<host>:<port>`. Default: those of the operating system */
  readonly resolver?: string | undefined;
  /** Opens a TCP connection; for tests. Default: to the address itself */
  readonly open?: (address: string, port: number) => Socket;
  /** A trusted authority; for tests. Default: those of Node.js */
  readonly ca?: string;
}

/** Checks a connection string. Throws a ConnectionStringError if the text is none. */
export async function checkConnection(
  text: string,
  network: CheckedNetwork = {},
): Promise<ConnectionCheck> {
  const parsed = parse(text);
  const names = namesOf(network.resolver);
  const lines: Line[] = [];
  const { hosts, txt } = await findHosts(parsed, names, lines);
  // The hosts show the cluster's domain, without which a legacy SRV name may look like a standard one.
  const domain = clusterDomain([`db://${hosts.map(({ name }) => name).join()}`]);
  const { kind } = classify(text, { domain });
  await attempt(
    lines,
    "options",
    "",
    () => authenticationDatabase(parsed, txt),
    (database) => `TLS, authentication in the database ${database}`,
  );
  const checked = await Promise.all(hosts.map((host) => checkHost(host, names, network)));
  lines.push(...checked.flatMap((host) => host.lines));
  const access = [...new Set(checked.flatMap(({ addresses }) => addresses.map(accessOf)))].sort();
  const problem = lines.find(({ result }) => result === "problem")?.check;
  const reachable = problem === undefined;
  return {
    reachable,
    kind,
    resolvers: names.resolver.getServers(),
    checks: lines,
    verdict: `${reachable ? "Reachable" : "Not reachable"}. ${addressVerdict(kind, access)}`,
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
    colorWords(columns(rows), { ok: "green", problem: "red" }),
    verdict,
    `Without private IP mode: ${later}`,
    `Next: ${next}`,
  ].join("\n");
}

/** A problem that has no error code. */
class Problem extends Error {}

/** Adds a line that describes the result of the work, or says why it failed. Returns the result. */
async function attempt<Result>(
  lines: Line[],
  check: Check,
  subject: string,
  work: () => Result | Promise<Result>,
  describe: (result: Result) => string,
): Promise<Result | undefined> {
  const add = (result: Line["result"], finding: string) =>
    lines.push({ check, result, subject: escapeText(subject), finding: escapeText(finding) });
  try {
    const result = await work();
    add("ok", describe(result));
    return result;
  } catch (error) {
    const code = codeOf(error);
    add("problem", error instanceof Problem ? error.message : (reasons[code] ?? code));
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

/** How long a connection may take, in milliseconds. */
const connectionTimeout = 5000;

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "the name does not exist",
  ENODATA: "the name has no such record",
  ETIMEOUT: "the DNS server does not respond",
  EAI_AGAIN: "the DNS server does not respond",
  ECONNREFUSED: "connection refused",
  ABORT_ERR: `no response within ${connectionTimeout / 1000} s`,
};

/** How names are resolved. */
interface Names {
  readonly resolver: Resolver;
  readonly addresses: (name: string) => Promise<string[]>;
}

/** Without a given server, addresses come from the operating system, as for drivers, so the hosts file is used as well. */
function namesOf(server: string | undefined): Names {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  if (server === undefined) {
    const found = async (name: string) =>
      (await lookup(name, { all: true })).map(({ address }) => address);
    return { resolver, addresses: found };
  }
  try {
    // Node.js would ask at another port.
    if (Number(/:(\d+)$/.exec(server)?.[1]) > 65_535) throw new RangeError();
    resolver.setServers([server]);
  } catch {
    throw new UsageError(
      "--resolver must be the IP address of a DNS server, with or without a port",
    );
  }
  const asked = async (name: string) => {
    const ipv6 = await resolver.resolve6(name).catch(() => []);
    const ipv4 = resolver.resolve4(name);
    return [...(await (ipv6.length > 0 ? ipv4.catch(() => []) : ipv4)), ...ipv6];
  };
  return { resolver, addresses: asked };
}

/** Returns the hosts of a string: those of its SRV records, with the options of its TXT record, or its own. */
async function findHosts(
  { scheme, form, hosts, options }: ParsedConnectionString,
  { resolver }: Names,
  lines: Line[],
): Promise<{ hosts: readonly Host[]; txt: string }> {
  if (form === "hosts") return { hosts, txt: "" };
  const name = hosts.map((host) => host.name).join("");
  const service = optionsIn(options).get("srvservicename") ?? scheme.replace(/\+srv$/i, "");
  const srvName = `_${service}._tcp.${name}`;
  const count = ({ length }: readonly unknown[]) => `${length} ${length === 1 ? "host" : "hosts"}`;
  const found = await attempt(lines, "SRV", srvName, () => resolver.resolveSrv(srvName), count);
  if (found === undefined) return { hosts: [], txt: "" };
  const records = () =>
    resolver.resolveTxt(name).catch((error: unknown) => {
      // Drivers do without the record, too.
      if (/^(ENODATA|ENOTFOUND)$/.test(codeOf(error))) return [];
      throw error;
    });
  const textOf = (all: string[][]) => all.map((parts) => parts.join("")).join("&");
  const txt = await attempt(lines, "TXT", name, records, (all) => textOf(all) || "none");
  return {
    hosts: found.map((record) => ({ name: record.name, port: record.port })),
    txt: textOf(txt ?? []),
  };
}

/** Reads options. Their names are in lower case, because drivers ignore the case. */
function optionsIn(text = ""): Map<string, string> {
  const parameters = new URLSearchParams(text);
  return new Map([...parameters].map(([name, value]) => [name.toLowerCase(), value]));
}

/** Returns the database that knows the user. Throws if a driver would send the password without TLS. */
function authenticationDatabase(
  { form, database, options }: ParsedConnectionString,
  txt: string,
): string {
  const all = new Map([...optionsIn(txt), ...optionsIn(options)]);
  const tls = all.get("tls") ?? all.get("ssl") ?? String(form === "srv");
  if (tls !== "true") throw new Problem("drivers do not use TLS without tls=true");
  return all.get("authsource") ?? (database || "admin");
}

/** Resolves a host and connects to it. */
async function checkHost(
  { name, port = 27_017 }: Host,
  names: Names,
  { open = (address, to) => connect(to, address), ca }: CheckedNetwork,
): Promise<{ lines: Line[]; addresses: readonly string[] }> {
  const lines: Line[] = [];
  const host = name.replace(/^\[|\]$/g, "");
  const subject = `${name}:${port}`;
  const resolve = () => (isIP(host) === 0 ? names.addresses(host) : [host]);
  const describe = (all: readonly string[]) =>
    all.map((each) => `${each} (${accessOf(each)})`).join(", ");
  const addresses = (await attempt(lines, "addresses", name, resolve, describe)) ?? [];
  if (addresses.length === 0) return { lines, addresses };
  const connection = () => firstConnection(addresses, (address) => open(address, port));
  const socket = await attempt(lines, "TCP", subject, connection, () => "accepts connections");
  if (socket === undefined) return { lines, addresses };
  const named = () => "the certificate names the host";
  await attempt(lines, "TLS", subject, () => checkCertificate(socket, host, ca), named);
  socket.destroy();
  return { lines, addresses };
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
      await once(socket, "connect", { signal: AbortSignal.timeout(connectionTimeout) });
      return socket;
    } catch (error) {
      socket.destroy();
      failure = error;
    }
  }
  throw failure;
}

/** Starts TLS on a connection. Throws if a driver would end it. */
async function checkCertificate(
  socket: Socket,
  host: string,
  ca: string | undefined,
): Promise<void> {
  const servername = isIP(host) === 0 ? host : "";
  const tls = startTls({ socket, servername, rejectUnauthorized: false, ...(ca && { ca }) });
  tls.on("error", () => undefined);
  await once(tls, "secureConnect", { signal: AbortSignal.timeout(connectionTimeout) });
  if (checkServerIdentity(host, tls.getPeerCertificate()) !== undefined) {
    throw new Problem("the certificate does not name the host");
  }
  // The error is a code, although its type says otherwise.
  if (!tls.authorized) {
    throw new Problem(`the certificate is not trusted (${String(tls.authorizationError)})`);
  }
}

const privateAddresses = new BlockList();
for (const network of [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "127.0.0.0/8",
]) {
  const [address = "", bits] = network.split("/");
  privateAddresses.addSubnet(address, Number(bits));
}
privateAddresses.addSubnet("fc00::", 7, "ipv6");
privateAddresses.addAddress("::1", "ipv6");

type Access = "private" | "public";

function accessOf(address: string): Access {
  return privateAddresses.check(address, isIPv6(address) ? "ipv6" : "ipv4") ? "private" : "public";
}

function addressVerdict(kind: Kind, access: readonly Access[]): string {
  if (access.length === 0) return "No host resolves to an address.";
  const found = `The hosts resolve to ${access.join(" and ")} addresses`;
  if (access.includes("public")) {
    if (kind === "legacy") return `${found}, so private IP mode is disabled.`;
    if (kind === "standard") {
      return `${found}, so this network is not peered with the cluster's, its DNS is custom, or the cluster is not in provider A.`;
    }
  }
  return `${found}.`;
}

const alwaysPrivate = "no change. The host names resolve to private addresses in either mode.";

/** Only legacy names depend on the mode (service document 2.6). */
const withoutPrivateIpMode: Readonly<Record<Kind, string>> = {
  legacy: "the legacy host names resolve to public addresses.",
  standard: "no change. The host names do not depend on the mode.",
  peeringPrivate: alwaysPrivate,
  privateEndpoint: alwaysPrivate,
  optimizedPrivateEndpoint: alwaysPrivate,
  unknown: "not known, because the host names match no pattern of the service document.",
};

/** What to do after the first problem. */
const remedies: Readonly<Record<Exclude<Check, "TCP">, string>> = {
  SRV: "compare the string with that of pulumi-clouddb strings --project ID --cluster NAME. If it is the same, ask another DNS server with --resolver.",
  TXT: "ask another DNS server with --resolver.",
  options: "use the string of pulumi-clouddb strings --project ID --cluster NAME.",
  addresses:
    "ask another DNS server with --resolver. If only that one knows the name, change this network's DNS.",
  TLS: "look for a proxy between this network and the cluster. If the certificate is of a private authority, set NODE_EXTRA_CA_CERTS and the driver's tlsCAFile to it.",
};

function nextStep(kind: Kind, isPublic: boolean, problem: Check | undefined): string {
  if (problem === "TCP") {
    return isPublic
      ? "add this network's public address to the project's IP access list."
      : "check the routes of the peering or the private endpoint, and the security rules of this network.";
  }
  if (problem !== undefined) return remedies[problem];
  if (isPublic && (kind === "standard" || kind === "legacy")) {
    return "in a peered network, use the string of --network peering.";
  }
  if (kind === "legacy") {
    return "switch to the string of --network peering before private IP mode is disabled.";
  }
  return "connect with the application's driver, which also checks the user and password.";
}
