/**
 * Service accounts: OAuth 2 client credentials (service document 5 rule 1). One access token serves
 * all requests; it is renewed before it ends, and once when the service refuses it.
 */
import { failure, readAnswer } from "./answers";
import { accessToken } from "./schemas";
import type { Exchange, ServiceRequest } from "./transport";

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
  return { text: access_token, renewAt: asked + expires_in * 1000 * usableShare };
}

function adviceFor(status: number): string {
  switch (status) {
    case 404:
    case 405:
      return "No token is given there: check tokenPath and baseUrl.";
    case 403:
      return "Check that the service account's API access list contains this machine's address.";
    default:
      return "The service account is refused: check clientId and clientSecret, and that the secret has not expired.";
  }
}
