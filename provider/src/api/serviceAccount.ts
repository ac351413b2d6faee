/**
 * Service accounts: OAuth 2 client credentials (service document 5 rule 1). All requests share one
 * access token, which is renewed before it expires, and once if the service refuses it.
 */
import { failure, readAnswer } from "./answers";
import { NoAnswerError, errorCodes } from "./errors";
import { accessToken } from "./schemas";
import type { Exchange, ServiceRequest } from "./transport";

/** The credentials of a service account, and the path of the token endpoint. */
export interface ServiceAccount {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Path of the token endpoint. */
  readonly tokenPath: string;
}

interface Token {
  readonly text: string;
  /** When to renew the token, in milliseconds since 1970. */
  readonly renewAt: number;
}

/** A token is renewed after this fraction of its lifetime, because requests take time to arrive. */
const usableShare = 0.9;

/** The maximum time to use a token, regardless of its stated lifetime: one day. */
const maxLifetimeSeconds = 24 * 3600;

/** The maximum length of an access token, in characters: it has to fit into a header. */
const maxTokenLength = 8192;

/**
 * Creates an exchange that adds the access token of a service account to requests. Concurrent requests
 * share one token request and its failure.
 *
 * @param account the service account
 * @param exchange sends a request unchanged
 * @returns the exchange; it throws what `exchange` throws, and a `ResponseError` or `NoAnswerError`
 * about the token request
 */
export function withServiceAccount(account: ServiceAccount, exchange: Exchange): Exchange {
  let current: Promise<Token> | undefined;

  const renew = (): Promise<Token> => {
    const token = fetchToken(account, exchange);
    current = token;
    token.catch(() => {
      if (current === token) current = undefined;
    });
    return token;
  };

  const valid = async (): Promise<Token> => {
    const held = current;
    if (held === undefined) return await renew();
    const token = await held;
    if (Date.now() < token.renewAt) return token;
    // If several requests find the token expired, the first one renews it for all.
    return await (current === held ? renew() : valid());
  };

  const send = (request: ServiceRequest, { text }: Token) =>
    exchange({ ...request, authorization: `Bearer ${text}` });

  return async (request) => {
    const token = await valid();
    const response = await send(request, token);
    if (response.status !== 401) return response;
    // The token was revoked early: get one new token for all requests that were refused with it.
    const held = current === undefined ? undefined : await current;
    return await send(request, held === undefined || held === token ? await renew() : held);
  };
}

async function fetchToken(
  { clientId, clientSecret, tokenPath }: ServiceAccount,
  exchange: Exchange,
): Promise<Token> {
  const asked = Date.now();
  const request: ServiceRequest = {
    method: "POST",
    path: tokenPath,
    body: {
      type: "application/x-www-form-urlencoded",
      value: { grant_type: "client_credentials" },
    },
    // The service expects both values without the percent-encoding of RFC 6749 2.3.1.
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`,
    attempt: 1,
  };
  const response = await exchange(request);
  if (response.status >= 400 && response.status < 500 && response.status !== 429) {
    throw failure(request, response, adviceFor(response.status));
  }
  const { access_token, expires_in } = readAnswer(request, response, accessToken);
  assertFitsHeader(access_token, tokenPath);
  const lifetime = Math.min(expires_in, maxLifetimeSeconds);
  return { text: access_token, renewAt: asked + lifetime * 1000 * usableShare };
}

/** Rejects a token that does not fit into a header: each request would fail like a network error. */
function assertFitsHeader(token: string, path: string): void {
  if (token.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(token)) return;
  const problem =
    token.length > maxTokenLength
      ? `is longer than ${maxTokenLength} characters`
      : "contains characters that are invalid in an HTTP header";
  throw new NoAnswerError(
    errorCodes.malformed,
    { method: "POST", path, attempts: 1 },
    `the access token ${problem}. Check that tokenPath and baseUrl are those of the service.`,
  );
}

function adviceFor(status: number): string {
  switch (status) {
    case 404:
    case 405:
      return "The service issues no tokens at this path: check tokenPath and baseUrl.";
    case 403:
      return "Check that the service account's API access list contains this machine's address.";
    default:
      return "The service account was refused: check clientId and clientSecret, and that the secret has not expired.";
  }
}
