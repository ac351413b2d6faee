// Access tokens of service accounts: OAuth 2 client credentials, bearer tokens with an end.
import { randomBytes } from "node:crypto";
import type { Clock } from "../clock";

export interface Tokens {
  /** A new token for a service account. */
  issue(clientId: string): { token: string; expiresInSeconds: number };
  /** The client id of a token that is valid now. */
  clientOf(token: string): string | undefined;
  /** Ends every token of a service account at once, or of all. */
  revoke(clientId?: string): void;
}

export function createTokens(tokenSeconds: number, clock: Clock): Tokens {
  const issued = new Map<string, { clientId: string; expires: number }>();

  function forgetExpired(): void {
    const now = clock.now();
    // All tokens last equally long, so the oldest are the first to end.
    for (const [token, { expires }] of issued) {
      if (expires > now) break;
      issued.delete(token);
    }
  }

  return {
    issue: (clientId) => {
      forgetExpired();
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
