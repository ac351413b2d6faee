/** Access tokens of service accounts: OAuth 2 client credentials grant, bearer tokens that expire. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../clock";

/** Issues and validates access tokens. */
export interface Tokens {
  /**
   * Issues a token.
   *
   * @param clientId the service account
   * @returns the token and its lifetime
   */
  issue(clientId: string): { token: string; expiresInSeconds: number };
  /**
   * Returns the service account of a token.
   *
   * @param token the token
   * @returns the client ID, or undefined if the token is unknown, expired or revoked
   */
  clientOf(token: string): string | undefined;
  /**
   * Revokes tokens.
   *
   * @param clientId the service account. Default: all
   */
  revoke(clientId?: string): void;
}

/**
 * Creates an empty set of tokens.
 *
 * @param tokenSeconds lifetime of a token in seconds
 * @param clock the time source
 * @returns the tokens
 */
export function createTokens(tokenSeconds: number, clock: Clock): Tokens {
  const issued = new Map<string, { clientId: string; expires: number }>();

  function removeExpired(): void {
    const now = clock.now();
    // All tokens have the same lifetime, so the oldest expire first.
    for (const [token, { expires }] of issued) {
      if (expires > now) break;
      issued.delete(token);
    }
  }

  return {
    issue: (clientId) => {
      removeExpired();
      const token = randomBytes(32).toString("base64url");
      issued.set(token, { clientId, expires: clock.now() + tokenSeconds * 1000 });
      return { token, expiresInSeconds: tokenSeconds };
    },
    clientOf: (token) => {
      const found = issued.get(token);
      return found && found.expires > clock.now() ? found.clientId : undefined;
    },
    revoke: (clientId) => {
      for (const [token, issue] of issued) {
        if (clientId === undefined || issue.clientId === clientId) issued.delete(token);
      }
    },
  };
}
