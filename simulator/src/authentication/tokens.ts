/** Access tokens of service accounts: OAuth 2 client credentials grant, bearer tokens that expire. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../store/clock";

/** Issues and validates access tokens. */
export class Tokens {
  /** Tokens in the order of their expiry: all have the same lifetime. */
  private readonly issued = new Map<string, { clientId: string; expires: number }>();

  /**
   * Creates an empty set of tokens.
   *
   * @param tokenSeconds lifetime of a token in seconds
   * @param clock the time source
   */
  constructor(
    private readonly tokenSeconds: number,
    private readonly clock: Clock,
  ) {}

  /**
   * Issues a token.
   *
   * @param clientId the service account
   * @returns the token and its lifetime
   */
  issue(clientId: string): { token: string; expiresInSeconds: number } {
    this.removeExpired();
    const token = randomBytes(32).toString("base64url");
    const expires = this.clock.now() + this.tokenSeconds * 1000;
    this.issued.set(token, { clientId, expires });
    return { token, expiresInSeconds: this.tokenSeconds };
  }

  /**
   * Returns the service account of a token.
   *
   * @param token the token
   * @returns the client ID, or undefined if the token is unknown, expired or revoked
   */
  clientOf(token: string): string | undefined {
    const found = this.issued.get(token);
    return found && found.expires > this.clock.now() ? found.clientId : undefined;
  }

  /**
   * Revokes tokens.
   *
   * @param clientId the service account. Default: all
   */
  revoke(clientId?: string): void {
    for (const [token, issue] of this.issued) {
      if (clientId === undefined || issue.clientId === clientId) this.issued.delete(token);
    }
  }

  private removeExpired(): void {
    const now = this.clock.now();
    for (const [token, { expires }] of this.issued) {
      if (expires > now) break;
      this.issued.delete(token);
    }
  }
}
