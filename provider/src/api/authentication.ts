/** Gives every request the credentials of the configured principal (service document 5). */
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
 * @param exchange sends a request as it is
 * @returns an exchange whose requests carry the credentials, and whose responses know how to mask
 * them in what is shown
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
 * What a response says is shown to people. A service or proxy that repeats the request in it must
 * not put its credentials before their eyes, nor those of the requests before it.
 */
function redacting(id: string, secret: string, exchange: Exchange): Exchange {
  const pair = Buffer.from(`${id}:${secret}`).toString("base64");
  const earlier = new Set<string>();
  return async (request) => {
    const sent = secretsIn(request.authorization);
    for (const each of sent) remember(earlier, each);
    // Most responses are never shown: the secrets are collected when one is.
    const redact: Redact = (text) => redactor([secret, pair, ...sent, ...earlier])(text);
    const response = await exchange({ ...request, redact });
    return { ...response, redact };
  };
}

/** How many tokens and hashes of earlier requests are masked as well. */
const remembered = 20;

function remember(earlier: Set<string>, secret: string): void {
  earlier.add(secret);
  for (const oldest of earlier) {
    if (earlier.size <= remembered) return;
    earlier.delete(oldest);
  }
}
