/** Digest authentication for many requests, which share the nonce of one challenge. */
import { failure } from "./answers";
import {
  type ApiKey,
  type DigestChallenge,
  authorization,
  chooseChallenge,
  parseChallenges,
} from "./digest";
import { NoAnswerError, UntrustedCertificateError } from "./errors";
import { escapeText } from "./escapeText";
import type { Exchange, ServiceRequest, ServiceResponse } from "./transport";

/** A nonce and its status. */
interface Session {
  readonly challenge: DigestChallenge;
  /** How often the nonce was used. */
  used: number;
  /** The service has accepted the nonce and the key. */
  accepted: boolean;
}

/** The state that all requests of one API key share. */
interface Digest {
  readonly key: ApiKey;
  readonly exchange: Exchange;
  /** Undefined until the service has sent a challenge. */
  session: Session | undefined;
  /** The service accepted a request without credentials, so none are sent for now. */
  isOpen: boolean;
  /** The pending request without credentials that fetches the challenge. All others wait for it. */
  probe: Promise<ProbeOutcome> | undefined;
}

/** The result of the probe for the requests that waited for it. */
type ProbeOutcome =
  /** There is a session now, or the probe was aborted by its own caller: check the state again. */
  | { readonly kind: "lookAgain" }
  /** The service did not send a challenge: also send without credentials. */
  | { readonly kind: "answered" }
  /** The service cannot be reached: each request fails with the same error. */
  | { readonly kind: "failed"; readonly error: NoAnswerError };

/** How often in a row a request is signed again because the service reports its own nonce as stale. */
const maxStaleNonces = 3;

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
  const digest: Digest = { key, exchange, session: undefined, isOpen: false, probe: undefined };
  return (request) => send(digest, request);
}

async function send(digest: Digest, request: ServiceRequest): Promise<ServiceResponse> {
  for (;;) {
    if (digest.session !== undefined) return await sendSigned(digest, request, digest.session);
    if (digest.isOpen) return await sendUnsigned(digest, request);
    if (digest.probe === undefined) return await sendProbe(digest, request);
    const outcome = await digest.probe;
    if (outcome.kind === "answered") return await sendUnsigned(digest, request);
    if (outcome.kind === "failed") throw sameFailure(outcome.error, request);
  }
}

/** Sends the request that fetches the challenge for all. */
async function sendProbe(digest: Digest, request: ServiceRequest): Promise<ServiceResponse> {
  const response = digest.exchange(request);
  digest.probe = response.then(
    (answer) => {
      digest.probe = undefined;
      digest.isOpen = answer.status < 400;
      const isChallenged = challengeOf(digest, undefined, answer) !== undefined;
      return { kind: isChallenged ? "lookAgain" : "answered" };
    },
    (error: unknown) => {
      digest.probe = undefined;
      // A probe that its own caller aborted proves nothing about the service.
      const isOwn = request.signal?.aborted === true || !(error instanceof NoAnswerError);
      return isOwn ? { kind: "lookAgain" } : { kind: "failed", error };
    },
  );
  await digest.probe;
  return await conclude(digest, request, await response);
}

async function sendUnsigned(digest: Digest, request: ServiceRequest): Promise<ServiceResponse> {
  return await conclude(digest, request, await digest.exchange(request));
}

/** Signs and resends a request if its response is a challenge; returns any other response. */
async function conclude(
  digest: Digest,
  request: ServiceRequest,
  response: ServiceResponse,
): Promise<ServiceResponse> {
  if (response.status !== 401) return response;
  // The session may already have the challenge of the probe.
  const session = digest.session ?? challengeOf(digest, undefined, response);
  if (session === undefined) throw failure(request, response, noDigestAdvice(response));
  return await sendSigned(digest, request, session);
}

async function sendSigned(
  digest: Digest,
  request: ServiceRequest,
  first: Session,
): Promise<ServiceResponse> {
  let session = first;
  for (let stale = 0; ; ) {
    const response = await digest.exchange(signed(digest.key, request, session));
    if (response.status !== 401) {
      session.accepted = true;
      return response;
    }
    const next = challengeOf(digest, session, response);
    if (next === undefined) return response;
    if (next.challenge.stale) {
      stale += 1;
      if (stale > maxStaleNonces) throw failure(request, response, staleAdvice);
    } else if (!session.accepted) {
      return response;
    }
    // A nonce that was accepted before has expired, or the service was restarted: the key is valid.
    // The user has to resolve any other 401.
    session = next;
  }
}

function signed(key: ApiKey, request: ServiceRequest, session: Session): ServiceRequest {
  session.used += 1;
  const { method, path: uri } = request;
  const nonceCount = session.used;
  return {
    ...request,
    authorization: authorization(key, session.challenge, { method, uri, nonceCount }),
  };
}

/**
 * Starts a session with the challenge in a response; returns undefined if there is none. The new
 * session replaces the one that the request used, but not a newer one from another request.
 */
function challengeOf(
  digest: Digest,
  replaced: Session | undefined,
  { status, headers }: ServiceResponse,
): Session | undefined {
  if (status !== 401) return undefined;
  const challenge = chooseChallenge(headers["www-authenticate"] ?? []);
  if (challenge === undefined) return undefined;
  const session = { challenge, used: 0, accepted: false };
  if (digest.session === replaced) digest.session = session;
  return session;
}

/** Returns the failure of the probe as an error about a request that waited for it. */
function sameFailure(error: NoAnswerError, request: ServiceRequest): NoAnswerError {
  const kind =
    error instanceof UntrustedCertificateError ? UntrustedCertificateError : NoAnswerError;
  const { method, path, attempt, redact = (text: string) => text } = request;
  const failed = { method, path: redact(path), attempts: attempt };
  return new kind(error.code, failed, error.problem, { cause: error });
}

const staleAdvice =
  "The service keeps reporting its own nonces as stale. The API key is not the cause: check the clocks of the service and the load balancer in front of it, or try again later.";

function noDigestAdvice({ headers }: ServiceResponse): string {
  const schemes = (headers["www-authenticate"] ?? [])
    .flatMap(parseChallenges)
    .map(({ scheme }) => escapeText(scheme, 30));
  const offered = [...new Set(schemes)].slice(0, 5).join(", ");
  const instead = offered === "" ? "it sends no challenge" : `it offers ${offered}`;
  return `The service does not offer digest authentication for API keys (${instead}). Check baseUrl and apiPath; a service account may be needed: set clientId and clientSecret instead of publicKey and privateKey.`;
}
