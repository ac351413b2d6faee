/**
 * Service accounts: OAuth 2 client credentials (service document 5 rule 1). One access token serves
 * all requests; it is renewed before it ends, and once when the service refuses it.
 */
import { failure, readAnswer } from "./answers";
import { NoAnswerError, errorCodes } from "./errors";
import { accessToken } from "./schemas";
import type { Exchange, ServiceRequest } from "./transport";

/** The credentials of a service account, and where to turn them into tokens. */
export interface ServiceAccount {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where tokens are asked for, below the service's origin. */
  readonly tokenPath: string;
}

interface Token {
  readonly text: string;
  /** When to have a new one, in milliseconds since 1970. */
  readonly renewAt: number;
}

/** A token is renewed when this much of its life has gone by: requests take time to arrive. */
const usableShare = 0.9;

/** A token is used for a day at most, whatever its life is said to be. */
const maxLifetimeSeconds = 24 * 3600;

/** The longest access token that is used, in characters: it has to fit into a header. */
const maxTokenLength = 8192;

/**
 * Makes an exchange whose requests carry the access token of a service account. Requests that start
 * at once share one token request, and its failure.
 *
 * @param account the service account
 * @param exchange sends a request as it is
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
    // Of several requests that see the token's end, the first renews it for all.
    return await (current === held ? renew() : valid());
  };

  const send = (request: ServiceRequest, { text }: Token) =>
    exchange({ ...request, authorization: `Bearer ${text}` });

  return async (request) => {
    const token = await valid();
    const response = await send(request, token);
    if (response.status !== 401) return response;
    // Revoked before its time: one new token, shared by all requests that were refused with it.
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
    // The service takes the two as they are, without the percent-encoding of RFC 6749 2.3.1.
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

/** What a header cannot carry would fail with each request, and as if the network had. */
function assertFitsHeader(token: string, path: string): void {
  if (token.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(token)) return;
  const problem =
    token.length > maxTokenLength
      ? `is longer than ${maxTokenLength} characters`
      : "holds characters that an HTTP header cannot carry";
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
