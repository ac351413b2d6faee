/** Gives every request the credentials of the configured principal (service document 5). */
import type { ApiKey } from "./digest";
import { withDigest } from "./digestSession";
import { type ServiceAccount, withServiceAccount } from "./serviceAccount";
import type { Exchange } from "./transport";

/** The principal that requests act for. */
export type Credentials =
  | ({ readonly kind: "apiKey" } & ApiKey)
  | ({ readonly kind: "serviceAccount" } & ServiceAccount);

/** An exchange whose requests carry the credentials. */
export function authenticated(credentials: Credentials, exchange: Exchange): Exchange {
  switch (credentials.kind) {
    case "apiKey":
      return withDigest(credentials, concealing([credentials.privateKey], exchange));
    case "serviceAccount":
      return withServiceAccount(credentials, concealing([credentials.clientSecret], exchange));
  }
}

/**
 * What a failed answer says is shown to people. A service or proxy that repeats the request in it
 * must not put its credentials before their eyes.
 */
function concealing(secrets: readonly string[], exchange: Exchange): Exchange {
  return async (request) => {
    const response = await exchange(request);
    if (response.status < 400) return response;
    const sent = /^(?:Basic|Bearer) (.+)$/.exec(request.authorization ?? "")?.[1] ?? "";
    // In JSON a secret may stand with escapes.
    const written = [...secrets, sent].flatMap((s) => [s, JSON.stringify(s).slice(1, -1)]);
    return { ...response, body: conceal(response.body, written) };
  };
}

/** What is shorter may be an ordinary word of the answer, and is no secret that a service gives out. */
const shortestSecret = 8;

function conceal(body: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= shortestSecret)
    .reduce((text, secret) => text.replaceAll(secret, "[credentials]"), body);
}
