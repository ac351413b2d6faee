/** The faults of a seed, and other random choices that it determines. */
import { createHash } from "node:crypto";
import type { Fault } from "clouddb-simulator";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** How a stack authenticates its requests. */
export type Credentials = "apiKey" | "serviceAccount";

/** The kinds of service faults. */
export const serviceFaults = [
  "429",
  "429 with Retry-After",
  "5xx",
  "outage",
  "reset before processing",
  "reset after processing",
  "truncated",
  "slow",
  "slower than the timeout",
  "expired nonce or token",
] as const;

/** A kind of service fault. */
export type ServiceFault = (typeof serviceFaults)[number];

/** The request timeout that the stacks are configured with. */
export const requestTimeoutSeconds = 5;

/** One request in this many gets a fault. */
const requestsPerFault = 10;

/** The number of planned faults: more than one operation meets, including its retries. */
const faultsPerOperation = 20;

/**
 * Plans the faults of one operation, in the order of its requests.
 *
 * @param random the random choices for this operation
 * @param credentials how the operation authenticates its requests
 */
export function planFaults(random: Random, credentials: Credentials): Fault[] {
  return Array.from({ length: faultsPerOperation }, () => {
    // Each request has the same probability, whatever happened to the requests before it.
    const undisturbed = Math.floor(
      Math.log(1 - random.fraction()) / Math.log(1 - 1 / requestsPerFault),
    );
    const fault = faultOf(random.pick(serviceFaults), random, credentials);
    return undisturbed === 0 ? [fault] : [{ times: undisturbed }, fault];
  }).flat();
}

/**
 * Counts the injected faults of each kind.
 *
 * @param planned the planned faults
 * @param pending the planned faults that no request has met
 */
export function countInjected(
  planned: readonly Fault[],
  pending: readonly Fault[],
): Record<ServiceFault, number> {
  const injected = (kind: ServiceFault) => {
    const all = planned.filter((fault) => kindOf(fault) === kind);
    const left = pending.filter((fault) => kindOf(fault) === kind);
    const used = all.length - left.length;
    // The first pending outage may have met some requests already.
    const isPartlyUsed = (left[0]?.times ?? 1) < (all[used]?.times ?? 1);
    return isPartlyUsed ? used + 1 : used;
  };
  const entries = serviceFaults.map((kind) => [kind, injected(kind)]);
  return Object.fromEntries(entries) as Record<ServiceFault, number>;
}

function faultOf(kind: ServiceFault, random: Random, credentials: Credentials): Fault {
  switch (kind) {
    case "429":
      return { status: 429 };
    case "429 with Retry-After":
      return { status: 429, headers: { "retry-after": String(random.integer(1, 3)) } };
    case "5xx":
      return { status: random.pick([500, 502, 503, 504]), body: "<h1>Unavailable</h1>" };
    case "outage":
      return { status: 503, times: random.integer(2, 6) };
    case "reset before processing":
      return { reset: true };
    case "reset after processing":
      return { reset: "after" };
    case "truncated":
      return { truncate: true };
    case "slow":
      return { delayMs: random.integer(100, 2000) };
    case "slower than the timeout":
      return { delayMs: requestTimeoutSeconds * 1000 + 1000 };
    case "expired nonce or token":
      return expired(random, credentials);
  }
}

/** Returns the response of the service to an expired nonce or access token. */
function expired(random: Random, credentials: Credentials): Fault {
  const nonce = `expired-${random.integer(0, 1e9)}`;
  const challenge = `Digest realm="MMS Public API", domain="", nonce="${nonce}", algorithm=MD5, qop="auth", stale=true`;
  return {
    path: /\/groups\//,
    withCredentials: true,
    status: 401,
    headers: credentials === "apiKey" ? { "www-authenticate": challenge } : {},
  };
}

/** Returns undefined for a fault that only counts undisturbed requests. */
function kindOf({
  status,
  headers,
  reset,
  truncate,
  delayMs,
  body,
}: Fault): ServiceFault | undefined {
  if (reset !== undefined) {
    return reset === true ? "reset before processing" : "reset after processing";
  }
  if (truncate === true) return "truncated";
  if (delayMs !== undefined) {
    return delayMs > requestTimeoutSeconds * 1000 ? "slower than the timeout" : "slow";
  }
  if (status === undefined) return undefined;
  if (status === 401) return "expired nonce or token";
  if (status === 429) return headers === undefined ? "429" : "429 with Retry-After";
  return body === undefined ? "outage" : "5xx";
}

/** A sequence of random choices. */
export interface Random {
  /** Returns an integer; both limits are included. */
  integer(from: number, to: number): number;
  /** Returns a number from 0 to 1. */
  fraction(): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  /** Returns one of the items. */
  pick<const T>(items: readonly [T, ...T[]]): T;
}

/**
 * Creates a sequence of random choices.
 *
 * @param parts the seed, and the purpose of the choices: the same parts result in the same choices
 */
export function seededRandom(...parts: readonly (string | number)[]): Random {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest();
  const generator = xoroshiro128plus(hash.readInt32LE());
  const integer = (from: number, to: number) => uniformInt(generator, from, to);
  const fraction = () => uniformFloat64(generator);
  return {
    integer,
    fraction,
    chance: (probability) => fraction() < probability,
    pick: (items) => items[integer(0, items.length - 1)] ?? items[0],
  };
}
