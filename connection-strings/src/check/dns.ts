/** Questions to DNS. Each of them ends within its limit. */
import { createSocket } from "node:dgram";
import { Resolver, lookup } from "node:dns/promises";
import { once } from "node:events";
import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../parsing";
import { type Answer, type Failure, answerOf, foundIn } from "./facts";

/** The names of this machine (RFC 6761), which a DNS server may not know. */
const localName = /(?:^|\.)localhost\.?$/i;

/** The DNS servers of this network, or a given one. */
export class Dns {
  readonly servers: readonly string[];
  readonly #isGiven: boolean;
  /** Its limits matter if a network has several servers and one of them does not respond. */
  readonly #resolver = new Resolver({ timeout: 1900, tries: 2 });

  constructor(server: string | undefined) {
    if (server !== undefined) this.#resolver.setServers([server]);
    this.#isGiven = server !== undefined;
    this.servers = this.#resolver.getServers();
  }

  srv(name: string, limitMs: number): Promise<Answer<readonly Host[]>> {
    return within(limitMs, this.#resolver.resolveSrv(name));
  }

  async txt(name: string, limitMs: number): Promise<Answer<readonly string[]>> {
    const records = await within(limitMs, this.#resolver.resolveTxt(name));
    return "found" in records ? { found: records.found.map((parts) => parts.join("")) } : records;
  }

  /** Asks the DNS server, whatever the hosts file of this machine says. */
  async addresses(name: string, limitMs: number): Promise<Answer<readonly string[]>> {
    if (localName.test(name)) return await lookUp(name, limitMs);
    const [ipv4, ipv6] = await Promise.all([
      within(limitMs, this.#resolver.resolve4(name)),
      within(limitMs, this.#resolver.resolve6(name)),
    ]);
    if ("found" in ipv4) return { found: [...ipv4.found, ...(foundIn(ipv6) ?? [])] };
    // A name without IPv4 addresses can have IPv6 addresses, so the answer about those decides.
    return "found" in ipv6 || ipv4.code === "ENODATA" ? ipv6 : ipv4;
  }

  /** Asks as a driver does, which asks the operating system unless a server is given. */
  async addressesOfHost(name: string, limitMs: number): Promise<Answer<readonly string[]>> {
    return await (this.#isGiven ? this.addresses(name, limitMs) : lookUp(name, limitMs));
  }

  /** Finds out whether a question failed because its response is too long for UDP. */
  async withTruncation(failure: Failure, type: RecordType, name: string): Promise<Failure> {
    if (!["ETIMEOUT", "ECONNREFUSED", "EAI_AGAIN"].includes(failure.code)) return failure;
    const results = await Promise.all(
      this.servers.map((server) => isTruncated(server, type, name)),
    );
    return results.includes(true) ? { ...failure, isTruncated: true } : failure;
  }
}

async function lookUp(name: string, limitMs: number): Promise<Answer<readonly string[]>> {
  const records = await within(limitMs, lookup(name, { all: true }));
  if ("found" in records) return { found: records.found.map(({ address }) => address) };
  // Node.js gives a name that has no address the code of one that does not exist.
  return records.code === "ENOTFOUND" ? { code: "EAI_NONAME" } : records;
}

/** No record is a failure, too, because an alias can lead to a name without records. */
async function within<Found>(
  limitMs: number,
  question: Promise<readonly Found[]>,
): Promise<Answer<readonly Found[]>> {
  const noResponse = { code: "ETIMEOUT" };
  const limit = sleep(limitMs, noResponse, { ref: false });
  const answer = await Promise.race([answerOf(question), limit]);
  return foundIn(answer)?.length === 0 ? { code: "ENODATA" } : answer;
}

/** The types of records, with their numbers (RFC 1035 3.2.2, RFC 2782). */
const recordTypes = { A: 1, TXT: 16, SRV: 33 } as const;
type RecordType = keyof typeof recordTypes;

/** A server that responds at all does so within this time. */
const truncationLimitMs = 1000;

/**
 * Asks a DNS server over UDP whether it truncates its response. A resolver then asks over TCP, and reports only how
 * that fails, so this question is sent without one. Returns false if there is no response.
 *
 * @param server its address, with or without a port
 */
async function isTruncated(server: string, type: RecordType, name: string): Promise<boolean> {
  const { address, port } = addressOf(server);
  const socket = createSocket(isIP(address) === 6 ? "udp6" : "udp4");
  socket.once("connect", () => {
    socket.send(questionMessage(type, name));
  });
  // Connected, so that a closed port is an error at once, and no other server can respond.
  socket.connect(port, address);
  const signal = AbortSignal.timeout(truncationLimitMs);
  const answer = await answerOf<unknown[]>(once(socket, "message", { signal }));
  socket.close();
  const [response] = foundIn(answer) ?? [];
  return response instanceof Uint8Array && ((response[2] ?? 0) & truncatedFlag) !== 0;
}

/** The header of a message with one question, which servers shall answer recursively (RFC 1035 4.1.1). */
const questionHeader = [0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];

/** In the third byte of a response. */
const truncatedFlag = 2;

function questionMessage(type: RecordType, name: string): Buffer {
  const labels = name.split(".").filter((label) => label !== "");
  const encoded = labels.flatMap((label) => [label.length, ...Buffer.from(label)]);
  // The end of the name, the type, and the class of the Internet.
  return Buffer.from([...questionHeader, ...encoded, 0, 0, recordTypes[type], 0, 1]);
}

/** Reads an address as Node.js lists servers: `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
function addressOf(server: string): { readonly address: string; readonly port: number } {
  if (isIP(server) !== 0) return { address: server, port: 53 };
  const end = server.lastIndexOf(":");
  return {
    address: server.slice(0, end).replace(/^\[|\]$/g, ""),
    port: Number(server.slice(end + 1)),
  };
}
