/** Digest over many requests: one challenge, whose nonce all of them use with a rising count. */
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

/** A nonce and what became of it. */
interface Session {
  readonly challenge: DigestChallenge;
  /** How often the nonce was used. */
  used: number;
  /** The service has accepted the nonce and the key. */
  accepted: boolean;
}

/** What all requests of one API key share. */
interface Digest {
  readonly key: ApiKey;
  readonly exchange: Exchange;
  /** Undefined until the service has sent a challenge. */
  session: Session | undefined;
  /** The service has answered a request without credentials: it wants none, for now. */
  isOpen: boolean;
  /** The request without credentials that is to fetch the challenge; all others wait for it. */
  probe: Promise<ProbeOutcome> | undefined;
}

/** What the probe means for the requests that waited for it. */
type ProbeOutcome =
  /** There is a session now, or the probe ended for a reason of its own: look again. */
  | { readonly kind: "lookAgain" }
  /** The service sent something other than a challenge: send without credentials as well. */
  | { readonly kind: "answered" }
  /** The service cannot be reached: each request fails as the probe did. */
  | { readonly kind: "failed"; readonly error: NoAnswerError };

/** How often in a row a request is signed anew because the service calls its own nonce stale. */
const maxStaleNonces = 3;

/**
 * Makes an exchange whose requests are signed with an API key. The first request fetches the
 * challenge while the others wait; its nonce is used until the service calls it stale. A service that
 * sends no challenge and answers nevertheless is asked without credentials.
 *
 * @param key the API key
 * @param exchange sends a request as it is
 * @returns the exchange; it throws what `exchange` throws, and a `ResponseError` with code
 * `authentication` if the service offers no digest authentication, or keeps calling its nonces stale
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

/** Sends a request without credentials on behalf of all. */
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
      // A probe that its own caller ended says nothing about the service.
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

/** Signs a request whose answer is a challenge; any other answer stands. */
async function conclude(
  digest: Digest,
  request: ServiceRequest,
  response: ServiceResponse,
): Promise<ServiceResponse> {
  if (response.status !== 401) return response;
  // The probe's challenge is in the session already.
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
    // A nonce that was accepted once and is refused now has expired, or the service was restarted:
    // the key is right. Any other 401 is for the user to solve.
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
 * The session that a response's challenge begins; undefined if there is none. It replaces the one
 * that the request was sent in, but not one that another request has begun since.
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

/** The probe's failure as that of a request that waited for it. */
function sameFailure(error: NoAnswerError, request: ServiceRequest): NoAnswerError {
  const kind =
    error instanceof UntrustedCertificateError ? UntrustedCertificateError : NoAnswerError;
  const { method, path, attempt, redact = (text: string) => text } = request;
  const failed = { method, path: redact(path), attempts: attempt };
  return new kind(error.code, failed, error.problem, { cause: error });
}

const staleAdvice =
  "The service keeps calling its own nonces stale. The fault is not the API key's: check the clocks of the service and the load balancer in front of it, or try again later.";

function noDigestAdvice({ headers }: ServiceResponse): string {
  const schemes = (headers["www-authenticate"] ?? [])
    .flatMap(parseChallenges)
    .map(({ scheme }) => escapeText(scheme, 30));
  const offered = [...new Set(schemes)].slice(0, 5).join(", ");
  const instead = offered === "" ? "it sends no challenge" : `it offers ${offered}`;
  return `The service offers no digest authentication that an API key can answer (${instead}). Check baseUrl and apiPath; a service account may be needed: set clientId and clientSecret instead of publicKey and privateKey.`;
}
