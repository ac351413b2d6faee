/**
 * HTTP digest for API keys (service document 5 rule 3; RFC 7616; RFC 2617 for services that offer only MD5). Only a
 * hash over the private key and the server's nonce leaves the process. All requests share one nonce, which no library
 * for digest does (docs/internals/decisions.md#0005-own-digest).
 */
import { createHash, randomBytes } from "node:crypto";
import { ProviderError } from "../messages/errors";
import type { Exchange, ServiceRequest, ServiceResponse } from "./exchange";
import { responseError } from "./responses";

/** An API key: the user name and password of HTTP digest (service document 5 rule 1). */
export interface ApiKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** A nonce of the service, which signs many requests. */
interface Nonce {
  readonly challenge: DigestChallenge;
  useCount: number;
  /** Whether the service has accepted the nonce and the key. A 5xx does not count, because a proxy may have sent it. */
  isAccepted: boolean;
}

/** How often in a row a request is signed again because the service reports its own nonce as stale. */
const maxStaleNonces = 3;

/**
 * Signs requests with an API key. A change is not signed again after a 401, because only its sender knows whether it
 * may be sent again; the next request uses the new nonce. Throws a `ResponseError` if the service keeps reporting stale
 * nonces.
 */
export function withDigest(key: ApiKey, exchange: Exchange): Exchange {
  /** The nonce that all requests share. Undefined until the service has sent a challenge. */
  let shared: Nonce | undefined;
  return async (request) => {
    let nonce = shared;
    for (let attempt = 0; ; attempt += 1) {
      const response = await exchange(nonce === undefined ? request : sign(key, request, nonce));
      if (response.status !== 401) {
        if (nonce !== undefined && response.status < 500) nonce.isAccepted = true;
        return response;
      }
      const next = nonceIn(response);
      // Another request may have received a newer nonce in the meantime.
      if (next !== undefined && shared === nonce) shared = next;
      if (nonce === undefined && next === undefined) {
        throw responseError(request, response, "noChallenge");
      }
      if (request.method === "PATCH" || !isWorthSigning(nonce, next)) return response;
      if (attempt > maxStaleNonces) throw responseError(request, response, "staleNonces");
      nonce = next;
    }
  };
}

/**
 * Returns whether to sign a request again after a 401. If the service does not call the nonce stale, it refuses the
 * key, unless it had accepted the nonce before, because then it was restarted and has forgotten it.
 */
function isWorthSigning(refused: Nonce | undefined, next: Nonce | undefined): boolean {
  return (
    refused === undefined ||
    next?.challenge.stale === true ||
    (next !== undefined && refused.isAccepted)
  );
}

function sign(key: ApiKey, request: ServiceRequest, nonce: Nonce): ServiceRequest {
  nonce.useCount += 1;
  const { method, path: uri } = request;
  const details = { method, uri, nonceCount: nonce.useCount };
  return { ...request, authorization: authorization(key, nonce.challenge, details) };
}

function nonceIn({ headers }: ServiceResponse): Nonce | undefined {
  const challenge = chooseChallenge(headers["www-authenticate"] ?? []);
  return challenge === undefined ? undefined : { challenge, useCount: 0, isAccepted: false };
}

/** A `WWW-Authenticate: Digest` challenge that this client supports (RFC 7616 3.3). */
export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly algorithm: DigestAlgorithm;
  /** Returned to the service unchanged; undefined if the challenge has none. */
  readonly opaque: string | undefined;
  /** Whether only the nonce has expired, so that the request can be signed again with this one. */
  readonly stale: boolean;
}

const hashes = { MD5: "md5", "SHA-256": "sha256" } as const;

type DigestAlgorithm = keyof typeof hashes;

/** The algorithms, strongest first, because the client chooses if a server offers several (RFC 7616 3.7). */
const preference: readonly DigestAlgorithm[] = ["SHA-256", "MD5"];

/**
 * Chooses the strongest digest challenge that offers qop auth; undefined if there is none.
 *
 * @example chooseChallenge(['Digest realm="r", nonce="n", qop="auth"'])?.algorithm // "MD5"
 */
export function chooseChallenge(headers: readonly string[]): DigestChallenge | undefined {
  const offered = headers
    .flatMap(digestParameters)
    .flatMap((parameters) => digestChallenge(parameters) ?? []);
  return preference.flatMap((name) => offered.filter((c) => c.algorithm === name))[0];
}

export interface DigestRequest {
  readonly method: string;
  readonly uri: string;
  readonly nonceCount: number;
  /** The value that the client chooses for this request. Default: a random one. */
  readonly clientNonce?: string;
}

/** Returns the `Authorization` header of a request, with qop=auth (RFC 7616 3.4). */
export function authorization(
  { publicKey, privateKey }: ApiKey,
  challenge: DigestChallenge,
  { method, uri, nonceCount, clientNonce = randomBytes(16).toString("hex") }: DigestRequest,
): string {
  const { realm, nonce, algorithm, opaque } = challenge;
  const hash = (text: string) => hashOf(algorithm, text);
  const count = nonceCount.toString(16).padStart(8, "0");
  const key = hash(`${publicKey}:${realm}:${privateKey}`);
  const response = hash(
    [key, nonce, count, clientNonce, "auth", hash(`${method}:${uri}`)].join(":"),
  );
  const fields = [
    `username=${quotedString(publicKey)}`,
    `realm=${quotedString(realm)}`,
    `nonce=${quotedString(nonce)}`,
    `uri=${quotedString(uri)}`,
    `algorithm=${algorithm}`,
    "qop=auth",
    `nc=${count}`,
    `cnonce=${quotedString(clientNonce)}`,
    `response=${quotedString(response)}`,
    ...(opaque === undefined ? [] : [`opaque=${quotedString(opaque)}`]),
  ];
  return `Digest ${fields.join(", ")}`;
}

/** Returns the hash of a text in hexadecimal. Throws a ProviderError without the algorithm, as for MD5 in FIPS mode. */
function hashOf(algorithm: DigestAlgorithm, text: string): string {
  try {
    return createHash(hashes[algorithm]).update(text).digest("hex");
  } catch (cause) {
    const problem = `API keys need ${algorithm}, which this Node.js does not offer. Use a service account instead: set clouddb:clientId and clouddb:clientSecret instead of clouddb:publicKey and clouddb:privateKey.`;
    throw new ProviderError(problem, { code: "settings", cause });
  }
}

/** Returns the parameters of each digest challenge in a header. Commas separate both (RFC 9110 11.6.1). */
export function digestParameters(header: string): Map<string, string>[] {
  return header
    .split(beforeChallenge)
    .filter((challenge) => /^digest\s/i.test(challenge))
    .map((challenge) => {
      const parameters = Array.from(
        challenge.matchAll(parameterPattern),
        ([, name = "", quoted, token = ""]) =>
          [name.toLowerCase(), quoted?.replace(escapedCharacter, "$1") ?? token] as const,
      );
      return new Map(parameters);
    });
}

/** Matches what separates challenges. Each one begins with its scheme, a space and a name before an equals sign. */
const beforeChallenge = /(?:^|,)\s*(?=[\w-]+\s+[\w-]+\s*=)/;

/** Matches `<name>=<value>`, and captures the name and the value, which is a quoted string or a token. */
const parameterPattern = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g;

/** Matches a character of a quoted string after its backslash (RFC 9110 5.6.4). */
const escapedCharacter = /\\(.)/g;

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

/** Encodes a text as a quoted string (RFC 9110 5.6.4). */
function quotedString(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
