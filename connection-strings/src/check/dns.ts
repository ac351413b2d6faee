/** Questions to DNS. Each of them ends within its limit. */
import { Resolver, lookup } from "node:dns/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../parsing";
import { type Answer, type Failure, answerOf, foundIn } from "./facts";
import { type RecordType, isTruncated } from "./truncation";

/** The names of this machine (RFC 6761), which a DNS server may not know. */
const isLocal = /(?:^|\.)localhost\.?$/i;

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
    if (isLocal.test(name)) return await lookUp(name, limitMs);
    const [ipv4, ipv6] = await Promise.all([
      within(limitMs, this.#resolver.resolve4(name)),
      within(limitMs, this.#resolver.resolve6(name)),
    ]);
    const found = [...(foundIn(ipv4) ?? []), ...(foundIn(ipv6) ?? [])];
    return found.length > 0 ? { found } : ipv4;
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

  /** Cancels the questions that nobody waits for any more. */
  close(): void {
    this.#resolver.cancel();
  }
}

async function lookUp(name: string, limitMs: number): Promise<Answer<readonly string[]>> {
  const records = await within(limitMs, lookup(name, { all: true }));
  return "found" in records ? { found: records.found.map(({ address }) => address) } : records;
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
