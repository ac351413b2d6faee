/** Authenticates requests by digest or bearer token, and checks the access list (service document 5). */
import { randomBytes } from "node:crypto";
import { BlockList, isIPv6 } from "node:net";
import { ServiceError } from "../errors";
import type { Role } from "../seed/seed";
import type { Settings } from "../seed/settings";
import type { Clock } from "../store/clock";
import type { Organization, Project } from "../store/projects";
import type { Store } from "../store/store";
import { Digest } from "./digest";

/** The parts of a request that authentication depends on. */
export interface CredentialedRequest {
  readonly method: string;
  /** Path and query exactly as received. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly address: string;
}

/** Authenticates requests and issues access tokens. */
export class Authentication {
  private readonly principals: ReadonlyMap<string, Principal>;
  readonly tokens: Tokens;
  private readonly digest: Digest;

  constructor(store: Store, clock: Clock, settings: Settings) {
    this.principals = principalsOf(store);
    this.tokens = new Tokens(settings, clock);
    this.digest = new Digest(clock, (userName) => {
      const principal = this.principals.get(userName);
      return principal?.kind === "apiKey" ? principal.secret : undefined;
    });
  }

  /** Returns the caller. Throws a 401 with a challenge, or a 403 if the access list rejects the address. */
  authenticate(request: CredentialedRequest): Principal {
    const [scheme, rest] = splitScheme(request.authorization ?? "");
    let principal: Principal;
    if (scheme === "bearer") principal = this.accountOfToken(rest);
    else if (scheme === "digest") principal = this.ownerOfKey(rest, request);
    else {
      throw unauthorized(
        "Authentication required: use an API key with HTTP digest, or the access token of a service account.",
        this.challenge(),
      );
    }
    checkAddress(principal, request.address);
    return principal;
  }

  challenge(): string {
    return this.digest.challenge(false);
  }

  /** Returns the account of a token request, to which access lists do not apply. */
  authenticateAccount(authorization: string | undefined): Principal {
    const principal = serviceAccountOf(authorization, this.principals);
    if (!principal) {
      throw unauthorized("The client ID or client secret is wrong.", 'Basic realm="token"');
    }
    return principal;
  }

  private accountOfToken(token: string): Principal {
    const principal = this.principals.get(this.tokens.clientOf(token) ?? "");
    if (principal) return principal;
    throw unauthorized(
      "The access token is invalid, expired or revoked.",
      'Bearer error="invalid_token"',
    );
  }

  private ownerOfKey(parameters: string, { method, target }: CredentialedRequest): Principal {
    const result = this.digest.check(parameters, method, target);
    const principal = result.outcome === "valid" && this.principals.get(result.userName);
    if (principal) return principal;
    const stale = result.outcome === "stale";
    throw unauthorized(
      stale ? "The nonce is expired or was used before." : "The API key or its digest is wrong.",
      this.digest.challenge(stale),
    );
  }
}

function unauthorized(detail: string, challenge: string): ServiceError {
  return new ServiceError(401, "UNAUTHORIZED", detail, [], { "www-authenticate": challenge });
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

/** Returns the service account of an HTTP Basic header, whose ID and secret are not percent-encoded. */
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
  return decoded.slice(colon + 1) === principal.secret ? principal : undefined;
}

/** Splits an `Authorization` header into the scheme in lower case and the rest. */
function splitScheme(authorization: string): [string, string] {
  const space = authorization.indexOf(" ");
  if (space < 0) return [authorization.toLowerCase(), ""];
  return [authorization.slice(0, space).toLowerCase(), authorization.slice(space + 1).trim()];
}

/** An API key or a service account. */
export interface Principal {
  /** Public key or client ID. */
  readonly id: string;
  readonly kind: "apiKey" | "serviceAccount";
  /** Private key or client secret. */
  readonly secret: string;
  readonly organization: Organization;
  /**
   * Checks the access list (service document 5 rule 7).
   *
   * @param address IP address of the caller
   * @returns whether the caller may use the credential
   */
  allows(address: string): boolean;
  readonly roles: Organization["apiKeys"][number]["roles"];
}

function principalsOf(store: Store): Map<string, Principal> {
  const principals = store.organizations.flatMap((organization): Principal[] => {
    const { apiKeys, serviceAccounts, requireAccessList } = organization;
    const keys = apiKeys.map(({ publicKey: id, privateKey: secret, ...rest }) => {
      return { kind: "apiKey" as const, id, secret, ...rest };
    });
    const accounts = serviceAccounts.map(({ clientId: id, clientSecret: secret, ...rest }) => {
      return { kind: "serviceAccount" as const, id, secret, ...rest };
    });
    return [...keys, ...accounts].map(({ accessList, ...principal }) => {
      return { ...principal, organization, allows: accessCheck(accessList, requireAccessList) };
    });
  });
  return new Map(principals.map((principal) => [principal.id, principal]));
}

export function roleIn(principal: Principal, project: Project): Role | undefined {
  const roles = principal.roles.filter(({ projectId }) =>
    projectId === undefined
      ? project.organization.id === principal.organization.id
      : projectId === project.id,
  );
  return strongest(roles.map(({ role }) => role));
}

export function roleInOrganization(principal: Principal): Role | undefined {
  return strongest(
    principal.roles.filter(({ projectId }) => projectId === undefined).map(({ role }) => role),
  );
}

function strongest(roles: readonly Role[]): Role | undefined {
  return roles.includes("owner") ? "owner" : roles[0];
}

/** Returns a function that checks an address against an access list. */
function accessCheck(
  accessList: readonly string[] | undefined,
  required: boolean,
): (address: string) => boolean {
  if (!accessList) return () => !required;
  const allowed = new BlockList();
  for (const entry of accessList) {
    const [address = "", prefix] = entry.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (prefix === undefined) allowed.addAddress(address, family);
    else allowed.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    // IPv4 addresses of dual-stack sockets start with ::ffff:.
    const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
    return allowed.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
  };
}

/** Issues and validates access tokens. */
export class Tokens {
  private readonly issued = new Map<string, { clientId: string; expires: number }>();

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  issue(clientId: string): string {
    const { tokenSeconds, tokensPerAccount } = this.settings;
    if (this.count(clientId) >= tokensPerAccount) {
      throw new ServiceError(
        403,
        "ACCESS_TOKEN_LIMIT_REACHED",
        `Access Token limit reached: service account ${clientId} has ${tokensPerAccount} active tokens.`,
        [clientId, tokensPerAccount],
      );
    }
    const token = randomBytes(32).toString("base64url");
    const expires = this.clock.now() + tokenSeconds * 1000;
    this.issued.set(token, { clientId, expires });
    return token;
  }

  /** Revokes a token of an account. */
  delete(token: string, clientId: string): void {
    if (this.clientOf(token) === clientId) this.issued.delete(token);
  }

  count(clientId?: string): number {
    this.removeExpired();
    const owners = [...this.issued.values()].map((token) => token.clientId);
    return clientId === undefined ? owners.length : owners.filter((id) => id === clientId).length;
  }

  clientOf(token: string): string | undefined {
    const found = this.issued.get(token);
    return found && found.expires > this.clock.now() ? found.clientId : undefined;
  }

  revoke(clientId?: string): void {
    for (const [token, issue] of this.issued) {
      if (clientId === undefined || issue.clientId === clientId) this.issued.delete(token);
    }
  }

  private removeExpired(): void {
    const now = this.clock.now();
    for (const [token, { expires }] of this.issued) {
      if (expires <= now) this.issued.delete(token);
    }
  }
}
