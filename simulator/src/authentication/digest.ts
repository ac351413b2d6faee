/** Server side of HTTP digest authentication (RFC 7616, MD5 with qop=auth): challenges and validation. */
import { hash, randomBytes } from "node:crypto";
import type { Clock } from "../store/clock";

/** Result of the validation of an `Authorization` header. */
export type DigestResult =
  | { readonly outcome: "valid"; readonly userName: string }
  /** The credentials are valid, but the nonce is expired or unknown, or its count was used before. */
  | { readonly outcome: "stale" }
  | { readonly outcome: "invalid" };

const realm = "MMS Public API";

/** Lifetime of a nonce. */
const nonceMilliseconds = 300_000;

/** Creates challenges and validates the responses to them. */
export class Digest {
  /** The expiry time of each nonce, and the counts that were used with it. */
  private readonly nonces = new Map<
    string,
    { readonly expires: number; readonly counts: Set<number> }
  >();

  constructor(
    private readonly clock: Clock,
    private readonly passwordOf: (userName: string) => string | undefined,
  ) {}

  challenge(stale: boolean): string {
    const nonce = randomBytes(16).toString("base64url");
    const now = this.clock.now();
    for (const [old, { expires }] of this.nonces) {
      if (expires > now) break;
      this.nonces.delete(old);
    }
    this.nonces.set(nonce, { expires: now + nonceMilliseconds, counts: new Set() });
    return `Digest realm="${realm}", domain="", nonce="${nonce}", algorithm=MD5, qop="auth", stale=${stale}`;
  }

  check(parameters: string, method: string, target: string): DigestResult {
    const credentials = parseParameters(parameters);
    if (!credentials) return { outcome: "invalid" };
    const { username = "", nonce = "", nc = "", cnonce = "", response = "" } = credentials;
    if (
      (credentials.algorithm ?? "MD5").toUpperCase() !== "MD5" ||
      credentials.realm !== realm ||
      credentials.qop !== "auth" ||
      credentials.uri !== target ||
      cnonce === "" ||
      !/^[0-9a-f]{8}$/i.test(nc)
    ) {
      return { outcome: "invalid" };
    }
    const password = this.passwordOf(username);
    const first = md5(`${username}:${realm}:${password}`);
    const second = md5(`${method}:${target}`);
    const expected = md5(`${first}:${nonce}:${nc}:${cnonce}:auth:${second}`);
    if (password === undefined || response.toLowerCase() !== expected) {
      return { outcome: "invalid" };
    }
    const isUsable = this.use(nonce, Number.parseInt(nc, 16));
    return isUsable ? { outcome: "valid", userName: username } : { outcome: "stale" };
  }

  /** Records a count of a nonce. Returns false if it was used before, or the nonce is expired or from elsewhere. */
  private use(nonce: string, count: number): boolean {
    const known = this.nonces.get(nonce);
    if (known === undefined || known.expires <= this.clock.now() || known.counts.has(count)) {
      return false;
    }
    known.counts.add(count);
    return true;
  }
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

function md5(text: string): string {
  return hash("md5", text, "hex");
}
