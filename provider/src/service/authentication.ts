/** Adds the credentials of the configured principal to every request (service document 5). */
import { type ApiKey, withDigest } from "./digest";
import { proxyPasswords } from "./proxy";
import { secretsIn } from "./redact";
import { type ServiceAccount, withServiceAccount } from "./serviceAccount";
import type { AuthenticatedExchange, Exchange } from "./exchange";
import { responseError } from "./responses";

/** The credentials of the principal that sends the requests (service document 5 rule 1). */
export type Credentials =
  | ({ readonly kind: "apiKey" } & ApiKey)
  | ({ readonly kind: "serviceAccount" } & ServiceAccount)
  | { readonly kind: "accessToken"; readonly accessToken: string };

export function withAuthentication(
  credentials: Credentials,
  exchange: Exchange,
): AuthenticatedExchange {
  const close = () => Promise.resolve();
  switch (credentials.kind) {
    case "apiKey": {
      const redacted = withRedaction([credentials.privateKey], exchange);
      return { exchange: withDigest(credentials, redacted), close };
    }
    case "serviceAccount": {
      const redacted = withRedaction([credentials.clientSecret], exchange);
      return withServiceAccount(credentials, redacted);
    }
    case "accessToken": {
      const { accessToken } = credentials;
      return {
        exchange: withAccessToken(accessToken, withRedaction([accessToken], exchange)),
        close,
      };
    }
  }
}

/** Adds a given access token, which this process can neither renew nor revoke. */
function withAccessToken(accessToken: string, exchange: Exchange): Exchange {
  return async (request) => {
    const response = await exchange({ ...request, authorization: `Bearer ${accessToken}` });
    if (response.status === 401) throw responseError(request, response, "accessToken");
    return response;
  };
}

/**
 * Adds to responses the secrets that error messages must not repeat. Error messages quote fields of a response, in which
 * a service or proxy may repeat the credentials, the `Authorization` of the request or the proxy's password.
 */
export function withRedaction(secrets: readonly string[], exchange: Exchange): Exchange {
  const known = [...secrets, ...proxyPasswords(process.env)];
  return async (request) => {
    const response = await exchange(request);
    return { ...response, secrets: [...known, ...secretsIn(request.authorization)] };
  };
}
