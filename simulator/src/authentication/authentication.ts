/** Authenticates requests by digest or bearer token, and checks the access list (service document 5). */
import { timingSafeEqual } from "node:crypto";
import type { Settings } from "../seed/options";
import type { Clock } from "../store/clock";
import { ServiceError } from "../store/serviceError";
import type { Store } from "../store/store";
import { Digest, type DigestSettings } from "./digest";
import { type Principal, principalsOf } from "./principals";
import { Tokens } from "./tokens";

/** Settings of `Authentication`. */
export type AuthenticationSettings = DigestSettings & Pick<Settings, "tokenSeconds">;

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
export class Authentication {
  private principals: ReadonlyMap<string, Principal>;
  private readonly tokens: Tokens;
  private readonly digest: Digest;

  /**
   * Creates the authentication of the API.
   *
   * @param store the store with the credentials
   * @param clock the time source
   * @param settings digest algorithms, and the lifetimes of nonces and tokens
   */
  constructor(
    private readonly store: Store,
    clock: Clock,
    settings: AuthenticationSettings,
  ) {
    this.principals = principalsOf(store);
    this.tokens = new Tokens(settings.tokenSeconds, clock);
    this.digest = new Digest(settings, clock, (userName) => {
      const principal = this.principals.get(userName);
      return principal?.kind === "apiKey" ? principal.secret : undefined;
    });
  }

  /**
   * Authenticates a request.
   *
   * @param request the request
   * @returns the caller
   * @throws ServiceError 401 with a challenge, or 403 if the access list rejects the address
   */
  authenticate(request: CredentialedRequest): Principal {
    const [scheme, rest] = splitScheme(request.authorization ?? "");
    let principal: Principal;
    if (scheme === "bearer") principal = this.accountOfToken(rest);
    else if (scheme === "digest") principal = this.ownerOfKey(rest, request);
    else {
      throw unauthorized(
        "Authentication required: use an API key with HTTP digest, or the access token of a service account.",
        this.challenges(),
      );
    }
    checkAddress(principal, request.address);
    return principal;
  }

  /**
   * Creates a digest challenge, which every 401 contains.
   *
   * @returns the `WWW-Authenticate` values
   */
  challenges(): string[] {
    return this.digest.challenges(false);
  }

  /**
   * Authenticates a service account that requests a token.
   *
   * @param authorization the `Authorization` header: HTTP Basic with client ID and secret
   * @param address IP address of the caller
   * @returns the service account
   * @throws ServiceError 401, or 403 if the access list rejects the address
   */
  authenticateAccount(authorization: string | undefined, address: string): Principal {
    const principal = serviceAccountOf(authorization, this.principals);
    if (!principal) {
      throw unauthorized("The client ID or client secret is wrong.", ['Basic realm="token"']);
    }
    checkAddress(principal, address);
    return principal;
  }

  /**
   * Issues an access token.
   *
   * @param account the service account
   * @returns the token and its lifetime
   */
  issueToken(account: Principal): { token: string; expiresInSeconds: number } {
    return this.tokens.issue(account.id);
  }

  /**
   * Revokes access tokens.
   *
   * @param clientId the service account. Default: all
   */
  revokeTokens(clientId?: string): void {
    this.tokens.revoke(clientId);
  }

  /** Reloads the credentials from the store, revokes all tokens and forgets the counts of nonces. */
  reset(): void {
    this.principals = principalsOf(this.store);
    this.tokens.revoke();
    this.digest.reset();
  }

  private accountOfToken(token: string): Principal {
    const principal = this.principals.get(this.tokens.clientOf(token) ?? "");
    if (principal) return principal;
    throw unauthorized("The access token is invalid, expired or revoked.", [
      'Bearer error="invalid_token"',
    ]);
  }

  private ownerOfKey(parameters: string, { method, target }: CredentialedRequest): Principal {
    const result = this.digest.check(parameters, method, target);
    const principal = result.outcome === "valid" && this.principals.get(result.userName);
    if (principal) return principal;
    const stale = result.outcome === "stale";
    throw unauthorized(
      stale ? "The nonce is expired or was used before." : "The API key or its digest is wrong.",
      this.digest.challenges(stale),
    );
  }
}

function unauthorized(detail: string, challenges: string[]): ServiceError {
  return new ServiceError(401, "UNAUTHORIZED", detail, [], { "www-authenticate": challenges });
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
  const [actual, expected] = [Buffer.from(decoded.slice(colon + 1)), Buffer.from(principal.secret)];
  return actual.length === expected.length && timingSafeEqual(actual, expected)
    ? principal
    : undefined;
}

/** Splits an `Authorization` header into the scheme in lower case and the rest. */
function splitScheme(authorization: string): [string, string] {
  const space = authorization.indexOf(" ");
  if (space < 0) return [authorization.toLowerCase(), ""];
  return [authorization.slice(0, space).toLowerCase(), authorization.slice(space + 1).trim()];
}
