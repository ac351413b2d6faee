/** Server side of HTTP digest authentication (RFC 7616, qop=auth): challenges and validation. */
import { createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Settings } from "../seed/settings";
import type { Clock } from "../store/clock";

/** Hash algorithm of a challenge. */
export type DigestAlgorithm = Settings["digestAlgorithms"][number];

/** Result of the validation of an `Authorization` header. */
export type DigestResult =
  | { readonly outcome: "valid"; readonly userName: string }
  /** The credentials are valid, but the nonce is expired or unknown, or its count was used before. */
  | { readonly outcome: "stale" }
  | { readonly outcome: "invalid" };

/**
 * Settings of `Digest`. A challenge contains `digestAlgorithms` in this order; responses may use any
 * supported algorithm.
 */
export type DigestSettings = Pick<Settings, "digestAlgorithms" | "nonceSeconds">;

/** Realm in every challenge. */
const realm = "MMS Public API";

/** Creates challenges and validates the responses to them. */
export class Digest {
  private readonly secret = createSecretKey(randomBytes(32));
  private readonly counts: NonceCounts;
  /** Cache of H(user:realm:password) by algorithm and user. */
  private readonly firstHashes = new Map<string, string>();

  constructor(
    private readonly settings: DigestSettings,
    private readonly clock: Clock,
    private readonly passwordOf: (userName: string) => string | undefined,
  ) {
    this.counts = new NonceCounts(clock);
  }

  challenges(stale: boolean): string[] {
    const nonce = this.createNonce();
    return this.settings.digestAlgorithms.map(
      (algorithm) =>
        `Digest realm="${realm}", domain="", nonce="${nonce}", algorithm=${algorithm}, ` +
        `qop="auth", stale=${stale}`,
    );
  }

  check(parameters: string, method: string, target: string): DigestResult {
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
    const password = this.passwordOf(username);
    const first = this.firstHash(algorithm, password === undefined ? "" : username, password ?? "");
    const second = hashOf(algorithm, `${method}:${target}`);
    const expected = hashOf(algorithm, `${first}:${nonce}:${nc}:${cnonce}:auth:${second}`);
    if (!equal(expected, response.toLowerCase()) || password === undefined) {
      return { outcome: "invalid" };
    }
    const expires = this.expiryOf(nonce);
    const usable =
      expires !== undefined &&
      expires > this.clock.now() &&
      this.counts.use(nonce, expires, Number.parseInt(nc, 16));
    return usable ? { outcome: "valid", userName: username } : { outcome: "stale" };
  }

  /** Forgets all nonce counts and passwords. */
  reset(): void {
    this.counts.reset();
    this.firstHashes.clear();
  }

  /** Creates a nonce with its time and a signature, so that unused challenges need no memory. */
  private createNonce(): string {
    // The random part makes nonces unique within one millisecond.
    const moment = `${this.clock.now().toString(36)}.${randomBytes(6).toString("base64url")}`;
    return `${moment}.${this.sign(moment)}`;
  }

  /** Returns when a nonce expires; undefined if it is not from this server. */
  private expiryOf(nonce: string): number | undefined {
    const known = this.counts.expiryOf(nonce);
    if (known !== undefined) return known;
    const at = nonce.lastIndexOf(".");
    const moment = nonce.slice(0, Math.max(at, 0));
    if (at < 0 || !equal(this.sign(moment), nonce.slice(at + 1))) return undefined;
    return Number.parseInt(moment, 36) + this.settings.nonceSeconds * 1000;
  }

  private sign(moment: string): string {
    return createHmac("sha256", this.secret).update(moment).digest("base64url").slice(0, 22);
  }

  private firstHash(algorithm: DigestAlgorithm, userName: string, password: string): string {
    const key = `${algorithm} ${userName}`;
    let first = this.firstHashes.get(key);
    if (first === undefined) {
      first = hashOf(algorithm, `${userName}:${realm}:${password}`);
      this.firstHashes.set(key, first);
    }
    return first;
  }
}

/** Returns the `Authorization` header that answers a challenge; undefined if there is none for qop=auth. */
export function digestAuthorization(
  challenges: readonly string[],
  [userName, password]: readonly [string, string],
  method: string,
  target: string,
): string | undefined {
  const offered = challenges.flatMap((challenge) => {
    const found = parseParameters(/^Digest\s+(.*)/is.exec(challenge)?.[1] ?? "") ?? {};
    const algorithm = algorithmOf(found.algorithm ?? "MD5");
    const hasAuth = found.qop?.split(/\s*,\s*/).includes("auth");
    return algorithm && hasAuth ? [{ ...found, algorithm }] : [];
  });
  const chosen = offered.find(({ algorithm }) => algorithm === "SHA-256") ?? offered[0];
  if (chosen === undefined) return undefined;
  const {
    algorithm,
    realm = "",
    nonce = "",
    opaque,
  }: Record<string, string> & typeof chosen = chosen;
  const cnonce = randomBytes(12).toString("hex");
  const first = hashOf(algorithm, `${userName}:${realm}:${password}`);
  const second = hashOf(algorithm, `${method}:${target}`);
  const response = hashOf(algorithm, `${first}:${nonce}:00000001:${cnonce}:auth:${second}`);
  const quoted = { username: userName, realm, nonce, uri: target, response, cnonce, opaque };
  const pairs = Object.entries(quoted).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replace(/["\\]/g, "\\$&")}"`],
  );
  return `Digest ${pairs.join(", ")}, algorithm=${algorithm}, qop=auth, nc=00000001`;
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
  return hash(algorithm === "MD5" ? "md5" : "sha256", text, "hex");
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Number of nonces whose counts are kept. Nonces that were dropped count as expired. */
const nonceCapacity = 10_000;

/** How far a new count may be below the highest one: parallel requests arrive out of order. */
const countWindow = 1000;

interface NonceUse {
  /** Expiry of the nonce: milliseconds since 1970. */
  readonly expires: number;
  /** Highest count so far. */
  highest: number;
  /** Counts in the window below the highest one. */
  readonly seen: Set<number>;
}

/** The counts used with each nonce. */
export class NonceCounts {
  /** Roughly in the order of expiry. */
  private readonly uses = new Map<string, NonceUse>();
  /** Unknown nonces that expire before this time are stale: counts of valid nonces were dropped. */
  private droppedUntil = 0;

  constructor(private readonly clock: Clock) {}

  /** Records a count of a valid nonce. Returns false if it was used before, is too old or was dropped. */
  use(nonce: string, expires: number, count: number): boolean {
    let use = this.uses.get(nonce);
    if (!use) {
      if (expires <= this.droppedUntil) return false;
      this.dropExpired();
      use = { expires, highest: 0, seen: new Set() };
      this.uses.set(nonce, use);
    }
    const { seen } = use;
    if (seen.has(count) || count <= use.highest - countWindow) return false;
    seen.add(count);
    use.highest = Math.max(use.highest, count);
    if (seen.size > 2 * countWindow) {
      for (const old of seen) if (old <= use.highest - countWindow) seen.delete(old);
    }
    return true;
  }

  /** Returns when a nonce expires; undefined if it was not used yet, or its counts were dropped. */
  expiryOf(nonce: string): number | undefined {
    return this.uses.get(nonce)?.expires;
  }

  reset(): void {
    this.uses.clear();
    this.droppedUntil = 0;
  }

  /** Drops expired nonces, and the oldest ones beyond the capacity. */
  private dropExpired(): void {
    const now = this.clock.now();
    for (const [nonce, { expires }] of this.uses) {
      if (expires > now && this.uses.size < nonceCapacity) break;
      this.uses.delete(nonce);
      if (expires > now) this.droppedUntil = Math.max(this.droppedUntil, expires);
    }
  }
}
