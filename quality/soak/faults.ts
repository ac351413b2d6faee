/** The faults of a seed, and other random choices that it determines. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Fault } from "clouddb-simulator";

/** How a stack authenticates its requests. */
export type Credentials = "apiKey" | "serviceAccount";

/** The request timeout that the stacks are configured with. */
export const requestTimeoutSeconds = 5;

/** Creates a fault of each kind. */
const faultOf = {
  "429": () => ({ status: 429 }),
  "429 with Retry-After": (random) => ({
    status: 429,
    headers: { "retry-after": String(random.integer(1, 3)) },
  }),
  "5xx": (random) => ({
    status: random.pick([500, 502, 503, 504]),
    body: "<h1>Unavailable</h1>",
  }),
  outage: (random) => ({ status: 503, times: random.integer(2, 6) }),
  "reset before processing": () => ({ reset: true }),
  "reset after processing": () => ({ reset: "after" }),
  truncated: () => ({ truncate: true }),
  slow: (random) => ({ delayMs: random.integer(100, 2000) }),
  "slower than the timeout": () => ({ delayMs: requestTimeoutSeconds * 1000 + 1000 }),
  "expired nonce or token": (random, credentials) => {
    const nonce = `expired-${random.integer(0, 1e9)}`;
    const challenge = `Digest realm="MMS Public API", domain="", nonce="${nonce}", algorithm=MD5, qop="auth", stale=true`;
    return {
      path: /\/groups\//,
      withCredentials: true,
      status: 401,
      headers: credentials === "apiKey" ? { "www-authenticate": challenge } : {},
    };
  },
} satisfies Record<string, (random: Random, credentials: Credentials) => Fault>;

/** A kind of service fault. */
export type ServiceFault = keyof typeof faultOf;

/** The kinds of service faults. */
export const serviceFaults = Object.keys(faultOf) as ServiceFault[];

/** What the next matching request gets; without a kind, it is undisturbed. */
export interface PlannedFault {
  readonly kind: ServiceFault | undefined;
  readonly fault: Fault;
}

/** One request in this many gets a fault. */
const requestsPerFault = 10;

/** More requests than an operation sends, including its retries. */
const requestsPerOperation = 200;

/**
 * Plans the faults of one operation, in the order of its requests.
 *
 * @param random the random choices for this operation
 * @param credentials how the operation authenticates its requests
 */
export function planFaults(random: Random, credentials: Credentials): PlannedFault[] {
  return Array.from({ length: requestsPerOperation }, () => {
    if (!random.chance(1 / requestsPerFault)) return { kind: undefined, fault: {} };
    const kind = random.pick(serviceFaults);
    return { kind, fault: faultOf[kind](random, credentials) };
  });
}

/**
 * Returns the kinds of the faults that requests have met.
 *
 * @param planned the planned faults
 * @param pending those that still apply to future requests, in the same order
 */
export function injectedKinds(
  planned: readonly PlannedFault[],
  pending: readonly Fault[],
): ServiceFault[] {
  const left = [...pending];
  return planned.toReversed().flatMap(({ kind, fault: { times = 1, ...fault } }) => {
    const last = left.at(-1);
    const isPending =
      last !== undefined && isDeepStrictEqual({ ...last, times }, { ...fault, times });
    if (isPending) left.pop();
    // An outage may have met some of its requests.
    const isUnused = isPending && last.times === times;
    return kind === undefined || isUnused ? [] : [kind];
  });
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
  pick<const T>(items: readonly T[]): T;
}

/**
 * Creates a sequence of random choices.
 *
 * @param parts the seed, and the purpose of the choices: the same parts result in the same choices
 */
export function seededRandom(...parts: readonly (string | number)[]): Random {
  let choices = 0;
  const fraction = () => {
    choices += 1;
    const hash = createHash("sha256").update(JSON.stringify([...parts, choices]));
    return hash.digest().readUInt32LE() / 2 ** 32;
  };
  const integer = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1));
  return {
    integer,
    fraction,
    chance: (probability) => fraction() < probability,
    pick: (items) => {
      const [item] = items.slice(integer(0, items.length - 1));
      if (item === undefined) throw new Error("There is nothing to pick from.");
      return item;
    },
  };
}
