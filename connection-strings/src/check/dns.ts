/** Questions to DNS. Each of them ends within its limit. */
import { Resolver, lookup } from "node:dns/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../parsing";
import { type Answer, answerOf, foundIn } from "./facts";

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

  async srv(name: string, limitMs: number): Promise<Answer<readonly Host[]>> {
    const records = await within(limitMs, this.#resolver.resolveSrv(name));
    // The target is a dot, which Node.js omits (RFC 2782).
    const isNoService = foundIn(records)?.every((host) => host.name === "") ?? false;
    return isNoService ? { code: "NOSERVICE" } : records;
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
    const answer = await (this.#isGiven ? this.addresses(name, limitMs) : lookUp(name, limitMs));
    const isBlocked = foundIn(answer)?.every((one) => one === "0.0.0.0" || one === "::") ?? false;
    return isBlocked ? { code: "BLOCKED" } : answer;
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
