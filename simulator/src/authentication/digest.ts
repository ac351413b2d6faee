// HTTP digest authentication, the server's side (RFC 7616, qop=auth): challenges, and the check of
// an answer to one.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock";

export type DigestAlgorithm = "MD5" | "SHA-256";

export type DigestResult =
  | { readonly outcome: "right"; readonly userName: string }
  /** Right but for the nonce: expired, of another server, or with a count seen before. */
  | { readonly outcome: "stale" }
  | { readonly outcome: "wrong" };

export interface Digest {
  /** One WWW-Authenticate value per algorithm. */
  challenges(stale: boolean): string[];
  /**
   * @param parameters what follows `Digest ` in the Authorization header
   * @param target the request's path with its query, as it came
   */
  check(parameters: string, method: string, target: string): DigestResult;
  /** Forgets which counts were seen. */
  reset(): void;
}

export interface DigestOptions {
  /** Offered in this order; an answer with any known algorithm is accepted. */
  algorithms: readonly DigestAlgorithm[];
  nonceSeconds: number;
  clock: Clock;
  /** The password of a user. */
  passwordOf: (userName: string) => string | undefined;
}

export const REALM = "MMS Public API";

/** How many nonces are remembered at most; those used before them count as expired. */
const NONCE_CAPACITY = 10_000;

/** How far behind the highest count an unseen one may be: requests in parallel overtake each other. */
const COUNT_WINDOW = 1000;

export function createDigest({
  algorithms,
  nonceSeconds,
  clock,
  passwordOf,
}: DigestOptions): Digest {
  const secret = randomBytes(32);
  // A nonce carries its own age and seal, so that challenges that nobody answers cost no memory.
  const seal = (moment: string) =>
    createHmac("sha256", secret).update(moment).digest("base64url").slice(0, 22);
  /** The counts seen with each nonce. */
  const uses = new Map<string, { expires: number; highest: number; seen: Set<number> }>();
  /** Nonces that expire by then are stale: their counts are no longer known. */
  let forgottenUntil = 0;
  /** H(user:realm:password), by user and algorithm. */
  const firstHashes = new Map<string, string>();

  function expiryOf(nonce: string): number | undefined {
    const at = nonce.lastIndexOf(".");
    const moment = nonce.slice(0, Math.max(at, 0));
    if (at < 0 || !equal(seal(moment), nonce.slice(at + 1))) return undefined;
    return Number.parseInt(moment, 36) + nonceSeconds * 1000;
  }

  function takeCount(nonce: string, expires: number, count: number): boolean {
    let use = uses.get(nonce);
    if (!use) {
      forgetExpired();
      use = { expires, highest: 0, seen: new Set() };
      uses.set(nonce, use);
    }
    if (use.seen.has(count) || count <= use.highest - COUNT_WINDOW) return false;
    use.seen.add(count);
    use.highest = Math.max(use.highest, count);
    if (use.seen.size > 2 * COUNT_WINDOW) {
      for (const old of use.seen) if (old <= use.highest - COUNT_WINDOW) use.seen.delete(old);
    }
    return true;
  }

  function isForgotten(nonce: string, expires: number): boolean {
    return expires <= forgottenUntil && !uses.has(nonce);
  }

  function forgetExpired(): void {
    const now = clock.now();
    // Nonces are first used in about the order of their expiry.
    for (const [nonce, { expires }] of uses) {
      if (expires > now && uses.size < NONCE_CAPACITY) break;
      uses.delete(nonce);
      forgottenUntil = Math.max(forgottenUntil, expires);
    }
  }

  function firstHash(algorithm: DigestAlgorithm, userName: string, password: string): string {
    const key = `${algorithm} ${userName}`;
    let hash = firstHashes.get(key);
    if (hash === undefined) {
      hash = hashOf(algorithm, `${userName}:${REALM}:${password}`);
      firstHashes.set(key, hash);
    }
    return hash;
  }

  return {
    challenges: (stale) => {
      // Two challenges at one moment share a nonce no more than two clients share a count.
      const moment = `${clock.now().toString(36)}.${randomBytes(6).toString("base64url")}`;
      const nonce = `${moment}.${seal(moment)}`;
      return algorithms.map(
        (algorithm) =>
          `Digest realm="${REALM}", domain="", nonce="${nonce}", algorithm=${algorithm}, ` +
          `qop="auth", stale=${stale}`,
      );
    },
    check: (parameters, method, target) => {
      const answer = parseParameters(parameters);
      if (!answer) return { outcome: "wrong" };
      const { username = "", nonce = "", nc = "", cnonce = "", response = "" } = answer;
      const algorithm = algorithmOf(answer.algorithm ?? "MD5");
      if (
        !algorithm ||
        answer.realm !== REALM ||
        answer.qop !== "auth" ||
        answer.uri !== target ||
        cnonce === "" ||
        !/^[0-9a-f]{8}$/i.test(nc)
      ) {
        return { outcome: "wrong" };
      }
      // An unknown user costs as much as a known one with a wrong password.
      const password = passwordOf(username);
      const first = firstHash(algorithm, password === undefined ? "" : username, password ?? "");
      const second = hashOf(algorithm, `${method}:${target}`);
      const expected = hashOf(algorithm, `${first}:${nonce}:${nc}:${cnonce}:auth:${second}`);
      if (!equal(expected, response.toLowerCase()) || password === undefined) {
        return { outcome: "wrong" };
      }
      const expires = expiryOf(nonce);
      if (expires === undefined || expires <= clock.now() || isForgotten(nonce, expires)) {
        return { outcome: "stale" };
      }
      if (!takeCount(nonce, expires, Number.parseInt(nc, 16))) return { outcome: "stale" };
      return { outcome: "right", userName: username };
    },
    reset: () => {
      uses.clear();
      forgottenUntil = 0;
      firstHashes.clear();
    },
  };
}

/** `name=value` pairs with commas between, values quoted or not; undefined where it is not that. */
function parseParameters(text: string): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  const pair = /\s*([A-Za-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))\s*(?:,|$)/y;
  while (pair.lastIndex < text.length) {
    const match = pair.exec(text);
    if (!match) return undefined;
    const [, name = "", quoted, plain = ""] = match;
    const key = name.toLowerCase();
    if (Object.hasOwn(found, key)) return undefined;
    found[key] = quoted?.replace(/\\(.)/g, "$1") ?? plain;
  }
  return found;
}

function algorithmOf(name: string): DigestAlgorithm | undefined {
  const upper = name.toUpperCase();
  return upper === "MD5" || upper === "SHA-256" ? upper : undefined;
}

function hashOf(algorithm: DigestAlgorithm, text: string): string {
  return createHash(algorithm === "MD5" ? "md5" : "sha256")
    .update(text)
    .digest("hex");
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
