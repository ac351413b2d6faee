/**
 * `pulumi-clouddb strings --check`: whether the names in a connection string resolve in this network, and whether the
 * hosts accept TLS connections. It does not log in, and prints only the host names of the string.
 */
import { Resolver, lookup } from "node:dns/promises";
import { once } from "node:events";
import { BlockList, type Socket, connect, isIP, isIPv6 } from "node:net";
import { checkServerIdentity, connect as startTls } from "node:tls";
import {
  type Diagnosis,
  type Host,
  type ParsedConnectionString,
  diagnose,
  parse,
} from "clouddb-connection-strings";
import { ProviderError, isBug } from "../messages/errors";
import { escapeText } from "../messages/text";
import { UsageError } from "./command";
import { columns } from "./terminal";

/** What to do if a check finds a problem. The checks are in the order in which a driver depends on them. */
const remedies = {
  options: "Add tls=true to the options of the string.",
  SRV: "Ask another DNS server with --resolver. If only that one knows the name, change this network's DNS.",
  addresses:
    "Ask another DNS server with --resolver. If only that one knows the name, change this network's DNS.",
  TCP: "For public addresses, add this network to the project's IP access list. For private ones, check the routes of the peering or the private endpoint, and the security rules.",
  TLS: "Look for a proxy between this network and the cluster. For a private authority, set NODE_EXTRA_CA_CERTS and the driver's tlsCAFile to its certificate.",
};

type Check = keyof typeof remedies;

export interface ConnectionCheck {
  readonly isReachable: boolean;
  /** The checks, one a line, and what to do about the first problem. */
  readonly report: string;
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

/** Checks a connection string. Throws a ProviderError or a ConnectionStringError if drivers would not accept it. */
export async function checkConnection(
  text: string,
  network: CheckedNetwork = {},
): Promise<ConnectionCheck> {
  const findings = diagnose(text);
  const found = findings.flatMap(({ code, subject }) => problems[code]?.(subject) ?? []);
  if (found.length > 0) {
    throw new ProviderError(
      `the text is not a connection string that drivers accept. ${found.join(" ")}`,
    );
  }
  const parsed = parse(text.trim());
  const names = namesOf(network.resolver);
  const checks = new Checks();
  if (findings.some(({ code }) => code === "white-space")) {
    const finding =
      "white space precedes or follows the string. Remove it, because some drivers do not";
    checks.rows.push(["warning", "string", "", finding]);
  }
  await checks.run("options", "", () => tlsOf(parsed));
  const hosts = await hostsOf(parsed, names, checks);
  const ofHosts = await Promise.all(hosts.map((host) => checkHost(host, names, network)));
  const rows = [checks, ...ofHosts].flatMap((check) => check.rows);
  const problem = [checks, ...ofHosts].map((check) => check.problem).find((text) => text);
  const end = problem === undefined ? "Reachable." : `Not reachable. ${remedies[problem]}`;
  return { isReachable: problem === undefined, report: `${columns(rows)}\n${end}` };
}

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

/** A problem that has no error code. */
class CheckProblem extends Error {}

/** The results of checks, as rows of a table: the result, the check, what was checked, and what was found. */
class Checks {
  readonly rows: string[][] = [];
  /** The first check that found a problem. */
  problem: Check | undefined;

  /** Runs a check, which returns its result and how to describe it. Returns undefined if it found a problem. */
  async run<Result>(
    check: Check,
    subject: string,
    work: () => Promise<readonly [Result, string]> | readonly [Result, string],
  ): Promise<Result | undefined> {
    const add = (result: "ok" | "problem", finding: string) =>
      this.rows.push([result, check, escapeText(subject), escapeText(finding)]);
    try {
      const [result, finding] = await work();
      add("ok", finding);
      return result;
    } catch (error) {
      if (isBug(error)) throw error;
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
      add("problem", error instanceof CheckProblem ? error.message : (reasons[code] ?? code));
      this.problem ??= check;
      return undefined;
    }
  }
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

/** Throws if a driver would send the password without TLS. Drivers ignore the case of options. */
function tlsOf({ form, options = "" }: ParsedConnectionString): readonly [undefined, string] {
  const parameters = [...new URLSearchParams(options)];
  const all = new Map(parameters.map(([name, value]) => [name.toLowerCase(), value]));
  const tls = all.get("tls") ?? all.get("ssl") ?? String(form === "srv");
  if (tls !== "true") throw new CheckProblem("drivers do not use TLS without tls=true");
  return [undefined, "drivers use TLS"];
}

/** Returns the hosts of a string: those of its SRV records, or its own. */
async function hostsOf(
  { scheme, form, hosts }: ParsedConnectionString,
  { resolver }: Names,
  checks: Checks,
): Promise<readonly Host[]> {
  if (form === "hosts") return hosts;
  const name = `_${scheme.replace(/\+srv$/i, "")}._tcp.${hosts.map((host) => host.name).join("")}`;
  const found = await checks.run("SRV", name, async () => {
    const records = notEmpty(await resolver.resolveSrv(name));
    return [records, `${records.length} ${records.length === 1 ? "host" : "hosts"}`];
  });
  return (found ?? []).map((record) => ({ name: record.name, port: record.port }));
}

/** An answer without records has only an alias, which leads nowhere. */
function notEmpty<T>(records: readonly T[]): readonly T[] {
  if (records.length > 0) return records;
  throw new CheckProblem("the name is an alias that leads to no record");
}

/** Resolves a host and connects to it. */
async function checkHost(
  { name, port = 27_017 }: Host,
  names: Names,
  { open = (address, to) => connect(to, address), ca }: CheckedNetwork,
): Promise<Checks> {
  const checks = new Checks();
  const host = name.replace(/^\[|\]$/g, "");
  const addresses = await checks.run("addresses", name, async () => {
    const found = isIP(host) === 0 ? notEmpty(await names.addresses(host)) : [host];
    return [found, found.map((address) => `${address} (${accessOf(address)})`).join(", ")];
  });
  if (addresses === undefined) return checks;
  const subject = `${name}:${port}`;
  const socket = await checks.run("TCP", subject, async () => {
    return [
      await firstConnection(addresses, (address) => open(address, port)),
      "accepts connections",
    ];
  });
  if (socket === undefined) return checks;
  await checks.run("TLS", subject, async () => {
    await checkCertificate(socket, host, ca);
    return [undefined, "the certificate names the host"];
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
    throw new CheckProblem("the certificate does not name the host");
  }
  // The error is a code, although its type says otherwise.
  if (!tls.authorized) {
    throw new CheckProblem(`the certificate is not trusted (${String(tls.authorizationError)})`);
  }
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
