/** Server side of HTTP digest authentication (RFC 7616, MD5 with qop=auth): challenges and validation. */
import { createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } from "node:crypto";
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
  private readonly secret = createSecretKey(randomBytes(32));
  /** The counts used with each nonce, in the order of first use. */
  private readonly uses = new Map<
    string,
    { readonly expires: number; readonly counts: Set<number> }
  >();

  constructor(
    private readonly clock: Clock,
    private readonly passwordOf: (userName: string) => string | undefined,
  ) {}

  challenge(stale: boolean): string {
    const nonce = this.createNonce();
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
    // Unknown users take as long as wrong passwords.
    const password = this.passwordOf(username);
    const first = md5(`${username}:${realm}:${password ?? ""}`);
    const second = md5(`${method}:${target}`);
    const expected = md5(`${first}:${nonce}:${nc}:${cnonce}:auth:${second}`);
    if (!equal(expected, response.toLowerCase()) || password === undefined) {
      return { outcome: "invalid" };
    }
    const isUsable = this.use(nonce, Number.parseInt(nc, 16));
    return isUsable ? { outcome: "valid", userName: username } : { outcome: "stale" };
  }

  /** Forgets the counts of all nonces. */
  reset(): void {
    this.uses.clear();
  }

  /** Records a count of a nonce. Returns false if it was used before, or the nonce is expired or from elsewhere. */
  private use(nonce: string, count: number): boolean {
    const now = this.clock.now();
    for (const [old, { expires }] of this.uses) {
      if (expires > now) break;
      this.uses.delete(old);
    }
    const known = this.uses.get(nonce);
    const expires = known?.expires ?? this.expiryOf(nonce);
    if (expires === undefined || expires <= now || known?.counts.has(count)) return false;
    if (known) known.counts.add(count);
    else this.uses.set(nonce, { expires, counts: new Set([count]) });
    return true;
  }

  /** Creates a nonce with its time and a signature, so that unused challenges need no memory. */
  private createNonce(): string {
    // The random part makes nonces unique within one millisecond.
    const moment = `${this.clock.now().toString(36)}.${randomBytes(6).toString("base64url")}`;
    return `${moment}.${this.sign(moment)}`;
  }

  /** Returns when a nonce expires; undefined if it is not from this server. */
  private expiryOf(nonce: string): number | undefined {
    const at = nonce.lastIndexOf(".");
    const moment = nonce.slice(0, Math.max(at, 0));
    if (at < 0 || !equal(this.sign(moment), nonce.slice(at + 1))) return undefined;
    return Number.parseInt(moment, 36) + nonceMilliseconds;
  }

  private sign(moment: string): string {
    return createHmac("sha256", this.secret).update(moment).digest("base64url").slice(0, 22);
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

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
