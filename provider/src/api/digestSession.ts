/** Digest authentication for many requests, which share the nonce of one challenge. */
import {
  type ApiKey,
  type DigestChallenge,
  authorization,
  chooseChallenge,
  parseChallenges,
} from "./digest";
import { NoResponseError, UntrustedCertificateError, failedRequest } from "./errors";
import { escapeText } from "./text";
import type { Exchange, ServiceRequest, ServiceResponse } from "./exchange";
import { redactNothing } from "./redact";
import { responseError } from "./responses";

/**
 * Creates an exchange that signs requests with an API key. The first request fetches the challenge
 * while the others wait. Its nonce is used until the service reports it as stale. If the service
 * accepts requests without a challenge, they are sent without credentials.
 *
 * @param key the API key
 * @param exchange sends a request unchanged
 * @returns the exchange; it throws what `exchange` throws, and a `ResponseError` with code
 * `authentication` if the service does not offer digest authentication or keeps reporting its nonces
 * as stale
 */
export function withDigest(key: ApiKey, exchange: Exchange): Exchange {
  const session = new DigestSession(key, exchange);
  return (request) => session.send(request);
}

/** A nonce of the service and how it was used. */
interface Nonce {
  readonly challenge: DigestChallenge;
  /** How often the nonce was used. */
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
    if ((await request.mayResend?.()) === false) return response;
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
        request.mayResend === undefined ? this.#takeNonce(response, nonce) : nonceIn(response);
      if (next === undefined) return response;
      if (next.challenge.stale) {
        staleNonces += 1;
        if (staleNonces > maxStaleNonces) throw responseError(request, response, staleAdvice);
      } else if (!nonce.isAccepted) {
        // The service refuses the key.
        return response;
      }
      // The nonce is stale, or it was accepted before and the service was restarted: the key is valid.
      if ((await request.mayResend?.()) === false) return response;
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

/** Returns the nonce of the challenge in a response, which was not used yet; undefined if there is none. */
function nonceIn({ status, headers }: ServiceResponse): Nonce | undefined {
  if (status !== 401) return undefined;
  const challenge = chooseChallenge(headers["www-authenticate"] ?? []);
  return challenge === undefined ? undefined : { challenge, useCount: 0, isAccepted: false };
}

/** Returns the error of the probe as an error about a request that waited for it. */
function sameError(error: NoResponseError, request: ServiceRequest): NoResponseError {
  const ErrorClass =
    error instanceof UntrustedCertificateError ? UntrustedCertificateError : NoResponseError;
  const failed = failedRequest(request, request.redact ?? redactNothing);
  return new ErrorClass(error.code, failed, error.problem, { cause: error });
}

const staleAdvice =
  "The service keeps reporting its own nonces as stale. The API key is not the cause: check the clocks of the service and the load balancer in front of it, or try again later.";

function noDigestAdvice({ headers }: ServiceResponse): string {
  const schemes = (headers["www-authenticate"] ?? [])
    .flatMap(parseChallenges)
    .map(({ scheme }) => escapeText(scheme, 30));
  const offered = [...new Set(schemes)].slice(0, 5).join(", ");
  const reason = offered === "" ? "it sends no challenge" : `it offers ${offered}`;
  return `The service does not offer digest authentication for API keys (${reason}). Check baseUrl and apiPath; a service account may be needed: set clientId and clientSecret instead of publicKey and privateKey.`;
}
