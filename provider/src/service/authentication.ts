/**
 * Adds the credentials of the configured principal to every request (service document 5). Service accounts are OAuth 2
 * client credentials. All their requests share one access token, which is renewed before it expires, and once if the
 * service rejects it. It is revoked when the process ends (docs/internals/decisions.md#0019-access-tokens). The exchange
 * below sends the requests (transport.ts).
 */
import { type ApiKey, withDigest } from "./digest";
import { proxyPasswords } from "./proxy";
import { isUuid, secretsIn } from "../messages/text";
import { readResponse, responseError } from "./responses";
import type { AuthenticatedExchange, Exchange, ServiceRequest, ServiceResponse } from "./exchange";
import { accessToken } from "./schemas";
import { abortable } from "./retry";

/** The credentials of the principal that sends the requests (service document 5 rule 1). */
export type Credentials =
  | ({ readonly kind: "apiKey" } & ApiKey)
  | ({ readonly kind: "serviceAccount" } & ServiceAccount)
  | { readonly kind: "accessToken"; readonly accessToken: string };

/** Creates an exchange that sends requests with the credentials, and whose responses name the secrets to redact. */
export function withAuthentication(
  credentials: Credentials,
  exchange: Exchange,
): AuthenticatedExchange {
  const close = () => Promise.resolve();
  switch (credentials.kind) {
    case "apiKey": {
      const { publicKey, privateKey } = credentials;
      // A public key that is a UUID is probably a private key.
      const secrets = isUuid(publicKey) ? [privateKey, publicKey] : [privateKey];
      const sender = withResponseSecrets(secrets, exchange);
      return { exchange: withDigest(credentials, sender), close };
    }
    case "serviceAccount": {
      const sender = withResponseSecrets([credentials.clientSecret], exchange);
      return withServiceAccount(credentials, sender);
    }
    case "accessToken": {
      const sender = withResponseSecrets([credentials.accessToken], exchange);
      return { exchange: withAccessToken(credentials.accessToken, sender), close };
    }
  }
}

/** Adds an access token that somebody else requested, so this process neither renews nor revokes it. */
function withAccessToken(accessToken: string, exchange: Exchange): Exchange {
  return (request) => exchange({ ...request, authorization: `Bearer ${accessToken}` });
}

/** Adds the secrets that a service or proxy may repeat in its response, and that messages must not. */
export function withResponseSecrets(secrets: readonly string[], exchange: Exchange): Exchange {
  const ofSettings = [...secrets, ...proxyPasswords(process.env)];
  return async (request) => {
    const response = await exchange(request);
    return { ...response, secrets: [...ofSettings, ...secretsIn(request.authorization)] };
  };
}

export interface ServiceAccount {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Path of the token endpoint below the origin, for example `/api/oauth/token`. */
  readonly tokenPath: string;
  /** Path where tokens are revoked (RFC 7009), for example `/api/oauth/revoke`. */
  readonly revokePath: string;
}

/** An access token. The times are in milliseconds since 1970. */
export interface Token {
  readonly text: string;
  readonly expiresAt: number;
  readonly renewAt: number;
}

/** A token is renewed after this fraction of its lifetime, because requests take time to arrive. */
const renewalFraction = 0.9;

/** Adds the access token of a service account. Concurrent requests share one token request, and its error. */
export function withServiceAccount(
  account: ServiceAccount,
  exchange: Exchange,
): AuthenticatedExchange {
  const token = new SharedToken(account, exchange);
  return { exchange: (request) => token.send(request), close: () => token.revoke() };
}

/** The access token of a service account, which is requested for the first request, and which all requests share. */
class SharedToken {
  readonly #account: ServiceAccount;
  readonly #exchange: Exchange;
  /** The current token or the pending request for it. Undefined at first, and after a failure. */
  #current: Promise<Token> | undefined;
  /** The last token that was received, which a change is sent with. */
  #latest: Token | undefined;
  /** The last token that the service refused, which was revoked early or expired by the service's clock. */
  #refused: Token | undefined;

  constructor(account: ServiceAccount, exchange: Exchange) {
    this.#account = account;
    this.#exchange = exchange;
  }

  /**
   * Sends a request with the token. If the service refuses it, sends the request again with a new one.
   *
   * A change is sent once, with the token of the reads before it (unless that was revoked meanwhile), even if another
   * request is renewing it. Its list of clusters would age during a wait, and only its sender knows whether it may be
   * sent again. After a 401, the reads that precede the next attempt renew the token.
   */
  async send(request: ServiceRequest): Promise<ServiceResponse> {
    const isChange = request.method === "PATCH";
    const token = (isChange ? this.#latest : undefined) ?? (await this.#get());
    const response = await this.#sendWith(token, request);
    if (response.status !== 401) return response;
    this.#refused = token;
    if (isChange) return response;
    return await this.#sendWith(await this.#get(), request);
  }

  /** Revokes the current token, even one that is still being requested, within a second. Never rejects. */
  async revoke(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    this.#latest = undefined;
    if (current === undefined) return;
    const signal = AbortSignal.timeout(1000);
    try {
      const token = await abortable(current, signal);
      if (Date.now() < token.expiresAt) {
        await revokeToken(this.#account, token.text, this.#exchange, signal);
      }
    } catch {
      // A token that is not revoked expires on its own.
    }
  }

  #sendWith({ text }: Token, request: ServiceRequest): Promise<ServiceResponse> {
    return this.#exchange({ ...request, authorization: `Bearer ${text}` });
  }

  /** Returns the current token, or a new one if the service refused that, or if it expires soon. */
  async #get(): Promise<Token> {
    const current = this.#current;
    if (current === undefined) return await this.#fetch();
    const token = await current;
    if (token !== this.#refused && Date.now() < token.renewAt) return token;
    // If several requests need a new token, the first one requests it for all.
    return await (this.#current === current ? this.#fetch() : this.#get());
  }

  #fetch(): Promise<Token> {
    const pending = fetchToken(this.#account, this.#exchange);
    this.#current = pending;
    pending.then(
      (token) => (this.#latest = token),
      () => {
        if (this.#current === pending) this.#current = undefined;
      },
    );
    return pending;
  }
}

/** Requests an access token. Throws an `ApiError` if the service refuses. */
export async function fetchToken(account: ServiceAccount, exchange: Exchange): Promise<Token> {
  const requestedAt = Date.now();
  const request = tokenRequest(account, account.tokenPath, { grant_type: "client_credentials" });
  const response = await exchange(request);
  const { access_token, expires_in } = readResponse(request, response, accessToken);
  const lifetime = expires_in * 1000;
  return {
    text: access_token,
    expiresAt: requestedAt + lifetime,
    renewAt: requestedAt + lifetime * renewalFraction,
  };
}

/** Revokes an access token (RFC 7009). Throws an `ApiError` if the service refuses. */
export async function revokeToken(
  account: ServiceAccount,
  token: string,
  exchange: Exchange,
  signal?: AbortSignal,
): Promise<void> {
  const form = { token, token_type_hint: "access_token" };
  const request = { ...tokenRequest(account, account.revokePath, form), signal };
  const response = await exchange(request);
  if (response.status < 300) return;
  throw responseError(request, response, "revocation");
}

function tokenRequest(
  { clientId, clientSecret }: ServiceAccount,
  path: string,
  value: Record<string, string>,
): ServiceRequest {
  // The service expects both values without the percent-encoding of RFC 6749 2.3.1.
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  return {
    method: "POST",
    path,
    body: { type: "application/x-www-form-urlencoded", text: String(new URLSearchParams(value)) },
    accept: "application/json",
    authorization: `Basic ${credentials}`,
    credentials: "serviceAccount",
    attempt: 1,
  };
}
