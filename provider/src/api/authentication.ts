/** Adds the credentials of the configured principal to every request (service document 5). */
import type { ApiKey } from "./digest";
import { withDigest } from "./digestSession";
import { type Redact, redactor, secretsIn } from "./redact";
import { type ServiceAccount, withServiceAccount } from "./serviceAccount";
import type { Exchange } from "./transport";

/** The principal that requests act for. */
export type Credentials =
  | ({ readonly kind: "apiKey" } & ApiKey)
  | ({ readonly kind: "serviceAccount" } & ServiceAccount);

/**
 * Adds credentials to requests.
 *
 * @param credentials an API key or a service account
 * @param exchange sends a request unchanged
 * @returns an exchange that adds the credentials to requests, and whose responses can redact them
 */
export function authenticated(credentials: Credentials, exchange: Exchange): Exchange {
  switch (credentials.kind) {
    case "apiKey": {
      const { publicKey, privateKey } = credentials;
      return withDigest(credentials, redacting(publicKey, privateKey, exchange));
    }
    case "serviceAccount": {
      const { clientId, clientSecret } = credentials;
      return withServiceAccount(credentials, redacting(clientId, clientSecret, exchange));
    }
  }
}

/**
 * Adds `redact` to requests and responses. Error messages quote responses, and a service or proxy may
 * repeat the credentials of this request or of earlier ones in a response.
 */
function redacting(id: string, secret: string, exchange: Exchange): Exchange {
  const pair = Buffer.from(`${id}:${secret}`).toString("base64");
  const earlier = new Set<string>();
  return async (request) => {
    const sent = secretsIn(request.authorization);
    for (const each of sent) remember(earlier, each);
    // Most responses are never quoted, so the redactor is only built when it is needed.
    const redact: Redact = (text) => redactor([secret, pair, ...sent, ...earlier])(text);
    const response = await exchange({ ...request, redact });
    return { ...response, redact };
  };
}

/** How many tokens and hashes of earlier requests are also redacted. */
const remembered = 20;

function remember(earlier: Set<string>, secret: string): void {
  earlier.add(secret);
  for (const oldest of earlier) {
    if (earlier.size <= remembered) return;
    earlier.delete(oldest);
  }
}
