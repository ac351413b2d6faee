/** Server side of HTTP digest authentication (RFC 7616, qop=auth): challenges and validation. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock";

/** Hash algorithm of a challenge. */
export type DigestAlgorithm = "MD5" | "SHA-256";

/** Result of the validation of an `Authorization` header. */
export type DigestResult =
  | { readonly outcome: "valid"; readonly userName: string }
  /** The credentials are valid, but the nonce is expired or unknown, or its count was used before. */
  | { readonly outcome: "stale" }
  | { readonly outcome: "invalid" };

/** Creates challenges and validates the responses to them. */
export interface Digest {
  /**
   * Creates a challenge.
   *
   * @param stale whether the client may retry with the same credentials and the new nonce
   * @returns one `WWW-Authenticate` value for each algorithm
   */
  challenges(stale: boolean): string[];
  /**
   * Validates the credentials of a request.
   *
   * @param parameters the `Authorization` header without `Digest `
   * @param method the HTTP method
   * @param target path and query exactly as received
   * @returns the user name, or why the credentials are not accepted
   */
  check(parameters: string, method: string, target: string): DigestResult;
  /** Forgets all nonce counts. */
  reset(): void;
}

/** Options of `createDigest`. */
export interface DigestOptions {
  /** Algorithms in a challenge, in this order. Responses may use any supported algorithm. */
  algorithms: readonly DigestAlgorithm[];
  /** Lifetime of a nonce in seconds. */
  nonceSeconds: number;
  /** The time source. */
  clock: Clock;
  /** Returns the password of a user, or undefined if the user does not exist. */
  passwordOf: (userName: string) => string | undefined;
}

/** Realm in every challenge. */
export const realm = "MMS Public API";

/** Number of nonces whose counts are kept. Nonces that were dropped count as expired. */
const nonceCapacity = 10_000;

/** How far a new count may be below the highest one: parallel requests arrive out of order. */
const countWindow = 1000;

/**
 * Creates the server side of digest authentication.
 *
 * @param options algorithms, nonce lifetime, clock and passwords
 * @returns functions to create and validate challenges
 */
export function createDigest({
  algorithms,
  nonceSeconds,
  clock,
  passwordOf,
}: DigestOptions): Digest {
  const secret = randomBytes(32);
  // A nonce contains its time and a signature, so that unused challenges need no memory.
  const sign = (moment: string) =>
    createHmac("sha256", secret).update(moment).digest("base64url").slice(0, 22);
  /** Counts used with each nonce. */
  const uses = new Map<string, { expires: number; highest: number; seen: Set<number> }>();
  /** Unknown nonces that expire before this time are stale: their counts were dropped. */
  let droppedUntil = 0;
  /** Cache of H(user:realm:password) by user and algorithm. */
  const firstHashes = new Map<string, string>();

  function expiryOf(nonce: string): number | undefined {
    const at = nonce.lastIndexOf(".");
    const moment = nonce.slice(0, Math.max(at, 0));
    if (at < 0 || !equal(sign(moment), nonce.slice(at + 1))) return undefined;
    return Number.parseInt(moment, 36) + nonceSeconds * 1000;
  }

  /** Records a count; returns false if it was used before or is too old. */
  function useCount(nonce: string, expires: number, count: number): boolean {
    let use = uses.get(nonce);
    if (!use) {
      dropExpired();
      use = { expires, highest: 0, seen: new Set() };
      uses.set(nonce, use);
    }
    if (use.seen.has(count) || count <= use.highest - countWindow) return false;
    use.seen.add(count);
    use.highest = Math.max(use.highest, count);
    if (use.seen.size > 2 * countWindow) {
      for (const old of use.seen) if (old <= use.highest - countWindow) use.seen.delete(old);
    }
    return true;
  }

  function isDropped(nonce: string, expires: number): boolean {
    return expires <= droppedUntil && !uses.has(nonce);
  }

  function dropExpired(): void {
    const now = clock.now();
    // The map is roughly in the order of expiry.
    for (const [nonce, { expires }] of uses) {
      if (expires > now && uses.size < nonceCapacity) break;
      uses.delete(nonce);
      droppedUntil = Math.max(droppedUntil, expires);
    }
  }

  function firstHash(algorithm: DigestAlgorithm, userName: string, password: string): string {
    const key = `${algorithm} ${userName}`;
    let hash = firstHashes.get(key);
    if (hash === undefined) {
      hash = hashOf(algorithm, `${userName}:${realm}:${password}`);
      firstHashes.set(key, hash);
    }
    return hash;
  }

  return {
    challenges: (stale) => {
      // The random part makes nonces unique within one millisecond.
      const moment = `${clock.now().toString(36)}.${randomBytes(6).toString("base64url")}`;
      const nonce = `${moment}.${sign(moment)}`;
      return algorithms.map(
        (algorithm) =>
          `Digest realm="${realm}", domain="", nonce="${nonce}", algorithm=${algorithm}, ` +
          `qop="auth", stale=${stale}`,
      );
    },
    check: (parameters, method, target) => {
      const credentials = parseParameters(parameters);
      if (!credentials) return { outcome: "invalid" };
      const { username = "", nonce = "", nc = "", cnonce = "", response = "" } = credentials;
      const algorithm = algorithmOf(credentials.algorithm ?? "MD5");
      if (
        !algorithm ||
        credentials.realm !== realm ||
        credentials.qop !== "auth" ||
        credentials.uri !== target ||
        cnonce === "" ||
        !/^[0-9a-f]{8}$/i.test(nc)
      ) {
        return { outcome: "invalid" };
      }
      // Unknown users take as long as wrong passwords.
      const password = passwordOf(username);
      const first = firstHash(algorithm, password === undefined ? "" : username, password ?? "");
      const second = hashOf(algorithm, `${method}:${target}`);
      const expected = hashOf(algorithm, `${first}:${nonce}:${nc}:${cnonce}:auth:${second}`);
      if (!equal(expected, response.toLowerCase()) || password === undefined) {
        return { outcome: "invalid" };
      }
      const expires = expiryOf(nonce);
      if (expires === undefined || expires <= clock.now() || isDropped(nonce, expires)) {
        return { outcome: "stale" };
      }
      if (!useCount(nonce, expires, Number.parseInt(nc, 16))) return { outcome: "stale" };
      return { outcome: "valid", userName: username };
    },
    reset: () => {
      uses.clear();
      droppedUntil = 0;
      firstHashes.clear();
    },
  };
}

/** Parses comma-separated `name=value` pairs, with or without quotes; undefined if malformed. */
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
