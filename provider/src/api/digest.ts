/**
 * HTTP digest authentication for API keys (service document 5 rule 3; RFC 7616, and RFC 2617 for
 * services that offer only MD5). The private key never leaves the process: only a hash over it and
 * the server's nonce does.
 */
import { createHash, randomBytes } from "node:crypto";

/** An API key: the user name and password of HTTP digest (service document 5 rule 1). */
export interface ApiKey {
  /** The user name. */
  readonly publicKey: string;
  /** The password. */
  readonly privateKey: string;
}

/** A `WWW-Authenticate: Digest` challenge that this client supports (RFC 7616 3.3). */
export interface DigestChallenge {
  /** The name of the protected area, which is part of the hash. */
  readonly realm: string;
  /** The value that the service chose for this challenge. */
  readonly nonce: string;
  /** How to hash. */
  readonly algorithm: DigestAlgorithm;
  /** Returned to the service unchanged; undefined if the challenge has none. */
  readonly opaque: string | undefined;
  /** The nonce expired but the credentials were correct: retry with the new nonce. */
  readonly stale: boolean;
}

const hashes = {
  MD5: "md5",
  "MD5-sess": "md5",
  "SHA-256": "sha256",
  "SHA-256-sess": "sha256",
} as const;

/** The algorithms that this client supports. */
type DigestAlgorithm = keyof typeof hashes;

/** Strongest first: if a server offers several, the client chooses (RFC 7616 3.7). */
const preference: readonly DigestAlgorithm[] = ["SHA-256", "SHA-256-sess", "MD5", "MD5-sess"];

/**
 * Chooses the strongest digest challenge that offers qop auth.
 *
 * @param headers the values of `WWW-Authenticate`
 * @returns the challenge; undefined if there is none that this client supports
 * @example chooseChallenge(['Digest realm="r", nonce="n", qop="auth"'])?.algorithm // "MD5"
 */
export function chooseChallenge(headers: readonly string[]): DigestChallenge | undefined {
  const offered = headers
    .slice(0, maxHeaders)
    .flatMap(parseChallenges)
    .filter(({ scheme }) => scheme.toLowerCase() === "digest")
    .flatMap(({ parameters }) => digestChallenge(parameters) ?? []);
  return preference.flatMap((name) => offered.filter((c) => c.algorithm === name))[0];
}

/** The request to sign. */
export interface DigestRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path and query as sent. */
  readonly uri: string;
  /** How often the nonce was used, including this request. */
  readonly nonceCount: number;
  /**
   * The value that the client chooses for this request.
   *
   * @default a random one
   */
  readonly clientNonce?: string;
}

/**
 * Signs a request with qop=auth (RFC 7616 3.4).
 *
 * @param key the API key
 * @param challenge a challenge from {@link chooseChallenge}
 * @param request the request to sign
 * @returns the value of the `Authorization` header
 */
export function authorization(
  { publicKey, privateKey }: ApiKey,
  challenge: DigestChallenge,
  { method, uri, nonceCount, clientNonce = randomBytes(16).toString("hex") }: DigestRequest,
): string {
  const { realm, nonce, algorithm, opaque } = challenge;
  const hash = (text: string) => createHash(hashes[algorithm]).update(text).digest("hex");
  const count = nonceCount.toString(16).padStart(8, "0");
  const key = hash(`${publicKey}:${realm}:${privateKey}`);
  const sessionKey = algorithm.endsWith("-sess") ? hash(`${key}:${nonce}:${clientNonce}`) : key;
  const response = hash(
    [sessionKey, nonce, count, clientNonce, "auth", hash(`${method}:${uri}`)].join(":"),
  );
  const fields = [
    `username=${quote(publicKey)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(uri)}`,
    `algorithm=${algorithm}`,
    "qop=auth",
    `nc=${count}`,
    `cnonce=${quote(clientNonce)}`,
    `response=${quote(response)}`,
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
  ];
  return `Digest ${fields.join(", ")}`;
}

/** A challenge of any scheme (RFC 9110 11.3). */
export interface Challenge {
  /** The authentication scheme, such as `Digest`. */
  readonly scheme: string;
  /** Names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Limits on `WWW-Authenticate`: the number of values, and the characters of each. */
const maxHeaders = 100;
const maxHeaderLength = 16 * 1024;

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const part = new RegExp(
  `[\\s,]*(?:(${token})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))|(${token}))(?:\\s+[A-Za-z0-9._~+/-]+=*(?=\\s*(?:,|$)))?\\s*,?`,
  "gy",
);

/**
 * Splits a header into its challenges (RFC 9110 11.6.1). Commas separate both schemes and parameters,
 * and quoted values may contain commas and escapes. Stops at text that is not a challenge, or after
 * 16 KB.
 *
 * @param value one value of `WWW-Authenticate`
 * @returns the challenges of all schemes, in their order
 * @example parseChallenges('Basic realm="x"')[0]?.scheme // "Basic"
 */
export function parseChallenges(value: string): Challenge[] {
  const header = value.slice(0, maxHeaderLength);
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const [, name, quoted, plain, scheme] of header.matchAll(part)) {
    if (scheme !== undefined) {
      challenges.push({ scheme, parameters: new Map() });
    } else if (name !== undefined) {
      const value = quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "";
      challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
    }
  }
  return challenges;
}

function digestChallenge(parameters: ReadonlyMap<string, string>): DigestChallenge | undefined {
  const realm = parameters.get("realm");
  const nonce = parameters.get("nonce");
  const requested = (parameters.get("algorithm") ?? "MD5").toLowerCase();
  const algorithm = preference.find((name) => name.toLowerCase() === requested);
  const qop = parameters.get("qop")?.split(",") ?? [];
  const offersAuth = qop.some((value) => value.trim().toLowerCase() === "auth");
  if (realm === undefined || nonce === undefined || algorithm === undefined || !offersAuth) {
    return undefined;
  }
  const stale = parameters.get("stale")?.toLowerCase() === "true";
  return { realm, nonce, algorithm, opaque: parameters.get("opaque"), stale };
}

function quote(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
