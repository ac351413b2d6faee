/** Gives every request the credentials of the configured principal (service document 5). */
import { type ApiKey, type DigestChallenge, authorization, chooseChallenge } from "./digest";
import type { Exchange, ServiceRequest, ServiceResponse } from "./transport";

/** The principal that requests act for. */
export type Credentials = { readonly kind: "apiKey" } & ApiKey;

/** An exchange whose requests carry the credentials. */
export function authenticated(credentials: Credentials, exchange: Exchange): Exchange {
  return withDigest(credentials, exchange);
}

/**
 * Digest with one challenge for all requests: the first request fetches it while the others wait,
 * and its nonce is used again with a rising count until the service calls it stale.
 */
function withDigest(key: ApiKey, exchange: Exchange): Exchange {
  let session: { challenge: DigestChallenge; used: number; accepted: boolean } | undefined;
  let asking: Promise<void> | undefined;

  const adopt = (response: ServiceResponse): boolean => {
    if (response.status !== 401) return false;
    const challenge = chooseChallenge(response.headers["www-authenticate"] ?? []);
    if (challenge === undefined) return false;
    session = { challenge, used: 0, accepted: false };
    return true;
  };

  const unauthenticated = async (request: ServiceRequest): Promise<ServiceResponse | undefined> => {
    const answer = exchange(request);
    asking = answer.then(
      () => undefined,
      () => undefined,
    );
    try {
      const response = await answer;
      return adopt(response) ? undefined : response;
    } finally {
      asking = undefined;
    }
  };

  const signed = async (request: ServiceRequest, current: NonNullable<typeof session>) => {
    const response = await exchange({
      ...request,
      authorization: authorization(key, current.challenge, {
        method: request.method,
        uri: request.path,
        nonceCount: ++current.used,
      }),
    });
    if (response.status !== 401) current.accepted = true;
    return response;
  };

  return async (request) => {
    while (session === undefined) {
      if (asking !== undefined) {
        await asking;
        continue;
      }
      const answer = await unauthenticated(request);
      if (answer !== undefined) return answer;
    }
    const used = session;
    const response = await signed(request, used);
    // A nonce that was good once and is refused now has run out, or the service started anew: the
    // credentials are right, so its new nonce is tried once. Any other 401 is the user's to mend.
    const ranOut = adopt(response) && (session.challenge.stale || used.accepted);
    return ranOut ? await signed(request, session) : response;
  };
}
