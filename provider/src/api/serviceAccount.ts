/**
 * Service accounts: OAuth 2 client credentials (service document 5 rule 1). All requests share one
 * access token, which is renewed before it expires, and once if the service rejects it.
 */
import { readResponse, responseError } from "./responses";
import { NoResponseError, errorCodes } from "./errors";
import { accessToken } from "./schemas";
import type { Exchange, ServiceRequest } from "./exchange";

/** The credentials of a service account, and the path of the token endpoint. */
export interface ServiceAccount {
  /** The user name of the token request. */
  readonly clientId: string;
  /** The password of the token request. */
  readonly clientSecret: string;
  /** Path of the token endpoint below the origin, for example `/api/oauth/token`. */
  readonly tokenPath: string;
}

/** An access token. */
interface Token {
  readonly text: string;
  /** When to renew the token, in milliseconds since 1970. */
  readonly renewAt: number;
}

/** A token is renewed after this fraction of its lifetime, because requests take time to arrive. */
const renewalFraction = 0.9;

/** The maximum time to use a token, regardless of its `expires_in`: one day. */
const maxLifetimeSeconds = 24 * 3600;

/** The maximum length of an access token, in characters: it has to fit into a header. */
const maxTokenLength = 8192;

/**
 * Creates an exchange that adds the access token of a service account to requests. Concurrent requests
 * share one token request, and its error if it fails.
 */
export function withServiceAccount(account: ServiceAccount, exchange: Exchange): Exchange {
  const tokens = new SharedToken(account, exchange);
  const send = (request: ServiceRequest, { text }: Token) =>
    exchange({ ...request, authorization: `Bearer ${text}` });
  return async (request) => {
    const token = await tokens.get();
    const response = await send(request, token);
    if (response.status !== 401) return response;
    // The token was revoked early.
    const renewed = await tokens.replace(token);
    return (await request.mayResend?.()) === false ? response : await send(request, renewed);
  };
}

/** The access token that all requests share. */
class SharedToken {
  readonly #account: ServiceAccount;
  readonly #exchange: Exchange;
  /** The current token or the pending request for it. Undefined at first, and after a failure. */
  #current: Promise<Token> | undefined;

  constructor(account: ServiceAccount, exchange: Exchange) {
    this.#account = account;
    this.#exchange = exchange;
  }

  /** Returns the current token, or a new one if it is about to expire. */
  async get(): Promise<Token> {
    const current = this.#current;
    if (current === undefined) return await this.#fetch();
    const token = await current;
    if (Date.now() < token.renewAt) return token;
    // If several requests find the token expired, the first one renews it for all.
    return await (this.#current === current ? this.#fetch() : this.get());
  }

  /** Replaces a token that the service refused. All requests that were refused share the new one. */
  async replace(refused: Token): Promise<Token> {
    const current = this.#current;
    if (current === undefined) return await this.#fetch();
    const token = await current;
    if (token !== refused) return token;
    return await (this.#current === current ? this.#fetch() : this.replace(refused));
  }

  #fetch(): Promise<Token> {
    const token = fetchToken(this.#account, this.#exchange);
    this.#current = token;
    token.catch(() => {
      if (this.#current === token) this.#current = undefined;
    });
    return token;
  }
}

async function fetchToken(
  { clientId, clientSecret, tokenPath }: ServiceAccount,
  exchange: Exchange,
): Promise<Token> {
  const requestedAt = Date.now();
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
    throw responseError(request, response, tokenAdvice(response.status));
  }
  const { access_token, expires_in } = readResponse(request, response, accessToken);
  assertFitsHeader(access_token, tokenPath);
  const lifetime = Math.min(expires_in, maxLifetimeSeconds);
  return { text: access_token, renewAt: requestedAt + lifetime * 1000 * renewalFraction };
}

/** Rejects a token that does not fit into a header: each request would fail like a network error. */
function assertFitsHeader(token: string, path: string): void {
  if (token.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(token)) return;
  const problem =
    token.length > maxTokenLength
      ? `is longer than ${maxTokenLength} characters`
      : "contains characters that are invalid in an HTTP header";
  throw new NoResponseError(
    errorCodes.malformed,
    { method: "POST", path, attempts: 1 },
    `the access token ${problem}. Check that tokenPath and baseUrl are those of the service.`,
  );
}

function tokenAdvice(status: number): string {
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
