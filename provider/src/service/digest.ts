/**
 * HTTP digest authentication for API keys (service document 5 rule 3; RFC 7616, and RFC 2617 for
 * services that offer only MD5). The private key never leaves the process: only a hash over it and
 * the server's nonce does. All requests share the nonce of one challenge.
 */
import { createHash, randomBytes } from "node:crypto";
import { NoResponseError, failedRequest } from "./errors";
import { escapeText } from "../messages/text";
import type { Exchange, ServiceRequest, ServiceResponse } from "./exchange";
import { redactNothing } from "./redact";
import { responseError } from "./responses";

/** An API key: the user name and password of HTTP digest (service document 5 rule 1). */
export interface ApiKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * Creates an exchange that signs requests with an API key. The first request fetches the challenge while the
 * others wait. Its nonce is used until the service reports it as stale. If the service accepts requests without
 * a challenge, they are sent without credentials. Throws a `ResponseError` with code `authentication` if the
 * service does not offer digest authentication or keeps reporting its nonces as stale.
 */
export function withDigest(key: ApiKey, exchange: Exchange): Exchange {
  const session = new DigestSession(key, exchange);
  return (request) => session.send(request);
}

/** A nonce of the service and how it was used. */
interface Nonce {
  readonly challenge: DigestChallenge;
  useCount: number;
  /** The service has accepted the nonce and the key. A 5xx does not count: a proxy may have sent it. */
  isAccepted: boolean;
}

/** The result of the probe for the requests that waited for it. */
type ProbeOutcome =
  /** There is a nonce now, or the probe was aborted by its own caller: check the state again. */
  | { readonly kind: "checkAgain" }
  /** The service did not send a challenge: also send without credentials. */
  | { readonly kind: "unchallenged" }
  /** The service cannot be reached: each request fails with the same error. */
  | { readonly kind: "failed"; readonly error: NoResponseError };

/** How often in a row a request is signed again because the service reports its own nonce as stale. */
const maxStaleNonces = 3;

/** The state that all requests of one API key share. */
class DigestSession {
  readonly #key: ApiKey;
  readonly #exchange: Exchange;
  /** Undefined until the service has sent a challenge. */
  #nonce: Nonce | undefined;
  /** The service accepted a request without credentials, so none are sent until it sends a challenge. */
  #acceptsUnsigned = false;
  /** The pending request without credentials that fetches the challenge. All others wait for it. */
  #probe: Promise<ProbeOutcome> | undefined;

  constructor(key: ApiKey, exchange: Exchange) {
    this.#key = key;
    this.#exchange = exchange;
  }

  async send(request: ServiceRequest): Promise<ServiceResponse> {
    for (;;) {
      if (this.#nonce !== undefined) return await this.#sendSigned(request, this.#nonce);
      if (this.#acceptsUnsigned) return await this.#sendUnsigned(request);
      if (this.#probe === undefined) return await this.#sendProbe(request);
      const outcome = await this.#probe;
      if (outcome.kind === "unchallenged") return await this.#sendUnsigned(request);
      if (outcome.kind === "failed") throw sameError(outcome.error, request);
    }
  }

  /** Sends the request that fetches the challenge for all. */
  async #sendProbe(request: ServiceRequest): Promise<ServiceResponse> {
    const pending = this.#exchange(request);
    this.#probe = pending.then(
      (response) => {
        this.#probe = undefined;
        this.#acceptsUnsigned = response.status < 400;
        const isChallenged = this.#takeNonce(response, undefined) !== undefined;
        return { kind: isChallenged ? "checkAgain" : "unchallenged" };
      },
      (error: unknown) => {
        this.#probe = undefined;
        // A probe that its own caller aborted proves nothing about the service.
        const isAborted = request.signal?.aborted === true || !(error instanceof NoResponseError);
        return isAborted ? { kind: "checkAgain" } : { kind: "failed", error };
      },
    );
    await this.#probe;
    return await this.#signIfChallenged(request, await pending);
  }

  async #sendUnsigned(request: ServiceRequest): Promise<ServiceResponse> {
    return await this.#signIfChallenged(request, await this.#exchange(request));
  }

  /** Signs and resends a request if its response is a challenge; returns any other response. */
  async #signIfChallenged(
    request: ServiceRequest,
    response: ServiceResponse,
  ): Promise<ServiceResponse> {
    if (response.status !== 401) return response;
    // The probe may already have stored the nonce of this response.
    const nonce = this.#nonce ?? this.#takeNonce(response, undefined);
    if (nonce === undefined) throw responseError(request, response, noDigestAdvice(response));
    if ((await request.mayRetry?.()) === false) return response;
    return await this.#sendSigned(request, nonce);
  }

  async #sendSigned(request: ServiceRequest, first: Nonce): Promise<ServiceResponse> {
    let nonce = first;
    for (let staleNonces = 0; ; ) {
      const response = await this.#exchange(this.#signed(request, nonce));
      if (response.status !== 401) {
        if (response.status < 500) nonce.isAccepted = true;
        return response;
      }
      // A nonce may be valid only once. Leave it to this request if others are sent in between.
      const next =
        request.mayRetry === undefined ? this.#takeNonce(response, nonce) : nonceIn(response);
      if (next === undefined) return response;
      if (next.challenge.stale) {
        staleNonces += 1;
        if (staleNonces > maxStaleNonces) throw responseError(request, response, staleAdvice);
      } else if (!nonce.isAccepted) {
        // The service refuses the key.
        return response;
      }
      // The nonce is stale, or it was accepted before and the service was restarted: the key is valid.
      if ((await request.mayRetry?.()) === false) return response;
      nonce = next;
    }
  }

  #signed(request: ServiceRequest, nonce: Nonce): ServiceRequest {
    nonce.useCount += 1;
    const { method, path: uri } = request;
    const nonceCount = nonce.useCount;
    return {
      ...request,
      authorization: authorization(this.#key, nonce.challenge, { method, uri, nonceCount }),
    };
  }

  /**
   * Stores and returns the nonce of the challenge in a response; undefined if there is none. It replaces
   * the one that the request used, but not a newer one from another request.
   */
  #takeNonce(response: ServiceResponse, replaced: Nonce | undefined): Nonce | undefined {
    const nonce = nonceIn(response);
    if (nonce !== undefined && this.#nonce === replaced) this.#nonce = nonce;
    return nonce;
  }
}

function nonceIn({ status, headers }: ServiceResponse): Nonce | undefined {
  if (status !== 401) return undefined;
  const challenge = chooseChallenge(headers["www-authenticate"] ?? []);
  return challenge === undefined ? undefined : { challenge, useCount: 0, isAccepted: false };
}

/** Returns the error of the probe as an error about a request that waited for it. */
function sameError(error: NoResponseError, request: ServiceRequest): NoResponseError {
  return new NoResponseError(error.code, failedRequest(request), error.problem, { cause: error });
}

const staleAdvice =
  "The service keeps reporting its own nonces as stale. The API key is not the cause: check the clocks of the service and the load balancer in front of it, or try again later.";

function noDigestAdvice({ headers, redact = redactNothing }: ServiceResponse): string {
  const schemes = (headers["www-authenticate"] ?? [])
    .flatMap(parseChallenges)
    .map(({ scheme }) => escapeText(redact(scheme), 30));
  const offered = [...new Set(schemes)].slice(0, 5).join(", ");
  const reason = offered === "" ? "it sends no challenge" : `it offers ${offered}`;
  return `The service does not offer digest authentication for API keys (${reason}). Check baseUrl and apiPath; a service account may be needed: set clientId and clientSecret instead of publicKey and privateKey.`;
}

/** A `WWW-Authenticate: Digest` challenge that this client supports (RFC 7616 3.3). */
export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
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

type DigestAlgorithm = keyof typeof hashes;

/** Strongest first: if a server offers several, the client chooses (RFC 7616 3.7). */
const preference: readonly DigestAlgorithm[] = ["SHA-256", "SHA-256-sess", "MD5", "MD5-sess"];

/**
 * Chooses the strongest digest challenge that offers qop auth; undefined if there is none.
 *
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

export interface DigestRequest {
  readonly method: string;
  /** Path and query as sent. */
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
