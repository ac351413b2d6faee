/** Authenticates requests by digest or bearer token, and checks the access list (service document 5). */
import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock";
import { ServiceError } from "../errors";
import type { Store } from "../store/store";
import { createDigest, type DigestAlgorithm } from "./digest";
import { type Principal, principalsOf } from "./principals";
import { createTokens } from "./tokens";

/** Options of `createAuthentication`. */
export interface AuthenticationOptions {
  /** The store with the credentials. */
  store: Store;
  /** The time source. */
  clock: Clock;
  /** Algorithms in a digest challenge, in order. */
  digestAlgorithms: readonly DigestAlgorithm[];
  /** Lifetime of a digest nonce in seconds. */
  nonceSeconds: number;
  /** Lifetime of an access token in seconds. */
  tokenSeconds: number;
}

/** The parts of a request that authentication depends on. */
export interface CredentialedRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path and query exactly as received. */
  readonly target: string;
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** IP address of the caller. */
  readonly address: string;
}

/** Authenticates requests and issues access tokens. */
export interface Authentication {
  /**
   * Authenticates a request.
   *
   * @param request the request
   * @returns the caller
   * @throws ServiceError 401 with a challenge, or 403 if the access list rejects the address
   */
  authenticate(request: CredentialedRequest): Principal;
  /**
   * Creates a digest challenge, which every 401 contains.
   *
   * @returns the `WWW-Authenticate` values
   */
  challenges(): string[];
  /**
   * Issues an access token.
   *
   * @param authorization the `Authorization` header: HTTP Basic with client ID and secret
   * @param address IP address of the caller
   * @returns the token, its lifetime and its service account
   * @throws ServiceError 401, or 403 if the access list rejects the address
   */
  issueToken(
    authorization: string | undefined,
    address: string,
  ): { token: string; expiresInSeconds: number; clientId: string };
  /**
   * Revokes access tokens.
   *
   * @param clientId the service account. Default: all
   */
  revokeTokens(clientId?: string): void;
  /** Reloads the credentials from the store, and forgets tokens and nonces. */
  reset(): void;
}

/**
 * Creates the authentication of the API.
 *
 * @param options the store, the clock and the lifetimes of nonces and tokens
 * @returns the authentication
 */
export function createAuthentication({
  store,
  clock,
  digestAlgorithms,
  nonceSeconds,
  tokenSeconds,
}: AuthenticationOptions): Authentication {
  let principals = principalsOf(store);
  const tokens = createTokens(tokenSeconds, clock);
  const digest = createDigest({
    algorithms: digestAlgorithms,
    nonceSeconds,
    clock,
    passwordOf: (userName) => {
      const principal = principals.get(userName);
      return principal?.kind === "apiKey" ? principal.secret : undefined;
    },
  });

  const unauthorized = (detail: string, challenges: string[]) =>
    new ServiceError(401, "UNAUTHORIZED", detail, [], { "www-authenticate": challenges });

  function principalOf({ method, target, authorization }: CredentialedRequest): Principal {
    const [scheme, rest] = splitScheme(authorization ?? "");
    if (scheme === "bearer") {
      const principal = principals.get(tokens.clientOf(rest) ?? "");
      if (principal) return principal;
      throw unauthorized("The access token is invalid, expired or revoked.", [
        'Bearer error="invalid_token"',
      ]);
    }
    if (scheme !== "digest") {
      throw unauthorized(
        "Authentication required: use an API key with HTTP digest, or the access token of a service account.",
        digest.challenges(false),
      );
    }
    const result = digest.check(rest, method, target);
    const principal = result.outcome === "valid" && principals.get(result.userName);
    if (principal) return principal;
    const stale = result.outcome === "stale";
    throw unauthorized(
      stale ? "The nonce is expired or was used before." : "The API key or its digest is wrong.",
      digest.challenges(stale),
    );
  }

  function checkAddress(principal: Principal, address: string): void {
    if (principal.allows(address)) return;
    throw new ServiceError(
      403,
      "IP_ADDRESS_NOT_ON_ACCESS_LIST",
      `IP address ${address} is not on the API access list of this credential.`,
      [address],
    );
  }

  return {
    challenges: () => digest.challenges(false),
    authenticate: (request) => {
      const principal = principalOf(request);
      checkAddress(principal, request.address);
      return principal;
    },
    issueToken: (authorization, address) => {
      const principal = serviceAccountOf(authorization, principals);
      if (!principal) {
        throw unauthorized("The client ID or client secret is wrong.", ['Basic realm="token"']);
      }
      checkAddress(principal, address);
      return { ...tokens.issue(principal.id), clientId: principal.id };
    },
    revokeTokens: (clientId) => {
      tokens.revoke(clientId);
    },
    reset: () => {
      principals = principalsOf(store);
      tokens.revoke();
      digest.reset();
    },
  };
}

/**
 * Returns the service account of an HTTP Basic header, or undefined if the credentials are wrong.
 * Client ID and secret are not percent-encoded.
 */
function serviceAccountOf(
  authorization: string | undefined,
  principals: ReadonlyMap<string, Principal>,
): Principal | undefined {
  const [scheme, encoded] = splitScheme(authorization ?? "");
  if (scheme !== "basic") return undefined;
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon < 0) return undefined;
  const principal = principals.get(decoded.slice(0, colon));
  if (principal?.kind !== "serviceAccount") return undefined;
  const [given, expected] = [Buffer.from(decoded.slice(colon + 1)), Buffer.from(principal.secret)];
  return given.length === expected.length && timingSafeEqual(given, expected)
    ? principal
    : undefined;
}

/** Splits an `Authorization` header into the scheme in lower case and the rest. */
function splitScheme(authorization: string): [string, string] {
  const space = authorization.indexOf(" ");
  if (space < 0) return [authorization.toLowerCase(), ""];
  return [authorization.slice(0, space).toLowerCase(), authorization.slice(space + 1).trim()];
}
