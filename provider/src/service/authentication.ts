/** Adds the credentials of the configured principal to every request (service document 5). */
import { type ApiKey, withDigest } from "./digest";
import { type Redact, redactor, secretsIn } from "./redact";
import { type ServiceAccount, withServiceAccount } from "./serviceAccount";
import type { AuthenticatedExchange, Exchange } from "./exchange";
import { responseError } from "./responses";

/** The credentials of the principal that sends the requests (service document 5 rule 1). */
export type Credentials =
  | ({ readonly kind: "apiKey" } & ApiKey)
  | ({ readonly kind: "serviceAccount" } & ServiceAccount)
  | { readonly kind: "accessToken"; readonly accessToken: string };

const nothingToClose = () => Promise.resolve();

/** Adds credentials to the requests of an exchange. A second one revokes an access token. */
export function authenticated(
  credentials: Credentials,
  exchange: Exchange,
  revocationExchange: Exchange = exchange,
): AuthenticatedExchange {
  switch (credentials.kind) {
    case "apiKey": {
      const redacted = redacting([credentials.privateKey], exchange);
      return { exchange: withDigest(credentials, redacted), close: nothingToClose };
    }
    case "serviceAccount": {
      const redacted = redacting([credentials.clientSecret], exchange);
      return withServiceAccount(credentials, redacted, revocationExchange);
    }
    case "accessToken": {
      const { accessToken } = credentials;
      const redacted = redacting([accessToken], exchange);
      return { exchange: withAccessToken(accessToken, redacted), close: nothingToClose };
    }
  }
}

/** Adds a given access token, which this process can neither renew nor revoke. */
function withAccessToken(accessToken: string, exchange: Exchange): Exchange {
  return async (request) => {
    const response = await exchange({ ...request, authorization: `Bearer ${accessToken}` });
    if (response.status === 401) throw responseError(request, response, refusedTokenAdvice);
    return response;
  };
}

const refusedTokenAdvice =
  "The token in accessToken may have expired or been revoked: set it to a new one, such as CLOUDDB_ACCESS_TOKEN=$(npx pulumi-clouddb token). If it is new, check that its service account belongs to the organization of this project.";

/**
 * Adds `redact` to responses. Error messages quote fields of them, in which a service or proxy may repeat the
 * credentials of this request or of earlier ones.
 */
export function redacting(secrets: readonly string[], exchange: Exchange): Exchange {
  const earlierSecrets = new Set<string>();
  return async (request) => {
    for (const each of secretsIn(request.authorization)) remember(earlierSecrets, each);
    // Most responses are never quoted, so the redactor is only built when it is needed.
    const redact: Redact = (text) => redactor([...secrets, ...earlierSecrets])(text);
    return { ...(await exchange(request)), redact };
  };
}

/** How many tokens and hashes of earlier requests are also redacted. */
const maxEarlierSecrets = 20;

function remember(secrets: Set<string>, secret: string): void {
  secrets.add(secret);
  for (const oldest of secrets) {
    if (secrets.size <= maxEarlierSecrets) return;
    secrets.delete(oldest);
  }
}
