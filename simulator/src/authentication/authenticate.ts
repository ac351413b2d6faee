// Authentication of a request: by digest or bearer token, then by the access list
// (service document 5).
import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock";
import { ServiceError } from "../errors";
import type { Store } from "../world/store";
import { createDigest, type DigestAlgorithm } from "./digest";
import { type Principal, principalsOf } from "./principals";
import { createTokens } from "./tokens";

export interface AuthenticationOptions {
  store: Store;
  clock: Clock;
  digestAlgorithms: readonly DigestAlgorithm[];
  nonceSeconds: number;
  tokenSeconds: number;
}

export interface CredentialedRequest {
  readonly method: string;
  /** The path with its query, as it came. */
  readonly target: string;
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /** The caller's IP address. */
  readonly address: string;
}

export interface Authentication {
  /** @throws {ServiceError} 401 with a challenge, or 403 where the access list refuses */
  authenticate(request: CredentialedRequest): Principal;
  /** WWW-Authenticate values: every 401 carries a challenge. */
  challenges(): string[];
  /** A token for a service account. @throws {ServiceError} 401, or 403 by the access list */
  issueToken(
    authorization: string | undefined,
    address: string,
  ): { token: string; expiresInSeconds: number; clientId: string };
  /** Ends every token of a service account at once, or of all. */
  revokeTokens(clientId?: string): void;
  /** Takes the credentials of the store anew, and forgets tokens and nonces. */
  reset(): void;
}

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
    const [scheme, rest] = split(authorization ?? "");
    if (scheme === "bearer") {
      const principal = principals.get(tokens.clientOf(rest) ?? "");
      if (principal) return principal;
      throw unauthorized("The access token is not valid, or no longer valid.", [
        'Bearer error="invalid_token"',
      ]);
    }
    if (scheme !== "digest") {
      throw unauthorized(
        "This resource needs authentication: an API key by HTTP digest, or a service account's bearer token.",
        digest.challenges(false),
      );
    }
    const result = digest.check(rest, method, target);
    const principal = result.outcome === "right" && principals.get(result.userName);
    if (principal) return principal;
    const stale = result.outcome === "stale";
    throw unauthorized(
      stale ? "The nonce can no longer be used." : "The API key or its digest is wrong.",
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
      const principal = accountOf(authorization, principals);
      if (!principal) {
        throw unauthorized("The client id or client secret is wrong.", ['Basic realm="token"']);
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

/** The service account of an HTTP Basic header; client id and secret are not percent-encoded. */
function accountOf(
  authorization: string | undefined,
  principals: ReadonlyMap<string, Principal>,
): Principal | undefined {
  const [scheme, encoded] = split(authorization ?? "");
  if (scheme !== "basic") return undefined;
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon < 0) return undefined;
  const principal = principals.get(decoded.slice(0, colon));
  if (principal?.kind !== "serviceAccount") return undefined;
  const [given, right] = [Buffer.from(decoded.slice(colon + 1)), Buffer.from(principal.secret)];
  return given.length === right.length && timingSafeEqual(given, right) ? principal : undefined;
}

/** The scheme in lower case, and what follows it. */
function split(authorization: string): [string, string] {
  const space = authorization.indexOf(" ");
  if (space < 0) return [authorization.toLowerCase(), ""];
  return [authorization.slice(0, space).toLowerCase(), authorization.slice(space + 1).trim()];
}
