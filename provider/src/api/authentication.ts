/** Adds the credentials of the configured principal to every request (service document 5). */
import { type ApiKey, withDigest } from "./digest";
import { type Redact, redactor, secretsIn } from "./redact";
import { type ServiceAccount, withServiceAccount } from "./serviceAccount";
import type { Exchange } from "./exchange";

/** The credentials of the principal that sends the requests (service document 5 rule 1). */
export type Credentials =
  | ({ readonly kind: "apiKey" } & ApiKey)
  | ({ readonly kind: "serviceAccount" } & ServiceAccount);

/** Adds credentials to requests. Throws errors about the credentials, and those of `exchange`. */
export function authenticated(credentials: Credentials, exchange: Exchange): Exchange {
  switch (credentials.kind) {
    case "apiKey": {
      return withDigest(credentials, redacting(credentials.privateKey, exchange));
    }
    case "serviceAccount": {
      return withServiceAccount(credentials, redacting(credentials.clientSecret, exchange));
    }
  }
}

/**
 * Adds `redact` to requests and responses. Error messages quote responses, and a service or proxy may
 * repeat the credentials of this request or of earlier ones in a response.
 */
function redacting(secret: string, exchange: Exchange): Exchange {
  const earlierSecrets = new Set<string>();
  return async (request) => {
    for (const each of secretsIn(request.authorization)) remember(earlierSecrets, each);
    // Most responses are never quoted, so the redactor is only built when it is needed.
    const redact: Redact = (text) => redactor([secret, ...earlierSecrets])(text);
    const response = await exchange({ ...request, redact });
    return { ...response, redact };
  };
}

/** How many tokens and hashes of earlier requests are also redacted. */
const maxEarlierSecrets = 20;

/** Adds a secret, and removes the oldest ones over the limit. */
function remember(secrets: Set<string>, secret: string): void {
  secrets.add(secret);
  for (const oldest of secrets) {
    if (secrets.size <= maxEarlierSecrets) return;
    secrets.delete(oldest);
  }
}
