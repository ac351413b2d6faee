/** Digest over many requests: one challenge, whose nonce all of them use with a rising count. */
import { type ApiKey, type DigestChallenge, authorization, chooseChallenge } from "./digest";
import type { Exchange, ServiceRequest, ServiceResponse } from "./transport";

interface Session {
  readonly challenge: DigestChallenge;
  /** How often the nonce was used. */
  used: number;
  /** The service has accepted the nonce and the key. */
  accepted: boolean;
}

/**
 * An exchange whose requests are signed with the API key. The first request fetches the challenge
 * while the others wait; its nonce is used until the service calls it stale.
 */
export function withDigest(key: ApiKey, exchange: Exchange): Exchange {
  let session: Session | undefined;
  let asking: Promise<void> | undefined;

  const challenged = ({ status, headers }: ServiceResponse): Session | undefined => {
    if (status !== 401) return undefined;
    const challenge = chooseChallenge(headers["www-authenticate"] ?? []);
    if (challenge === undefined) return undefined;
    session = { challenge, used: 0, accepted: false };
    return session;
  };

  /** The answer where the service asks for no digest; undefined where it now has its session. */
  const ask = async (request: ServiceRequest): Promise<ServiceResponse | undefined> => {
    const answer = exchange(request);
    asking = answer.then(ignore, ignore);
    try {
      const response = await answer;
      return challenged(response) === undefined ? response : undefined;
    } finally {
      asking = undefined;
    }
  };

  const signed = async (request: ServiceRequest, current: Session) => {
    current.used += 1;
    const { method, path: uri } = request;
    const digest = { method, uri, nonceCount: current.used };
    const response = await exchange({
      ...request,
      authorization: authorization(key, current.challenge, digest),
    });
    if (response.status !== 401) current.accepted = true;
    return response;
  };

  return async (request) => {
    while (session === undefined) {
      if (asking === undefined) {
        const answer = await ask(request);
        if (answer !== undefined) return answer;
      } else {
        await asking;
      }
    }
    const current = session;
    const response = await signed(request, current);
    // A nonce that was good once and is refused now has run out, or the service started anew: the
    // key is right, so the new nonce is tried once. Any other 401 is the user's to mend.
    const next = challenged(response);
    const ranOut = next !== undefined && (next.challenge.stale || current.accepted);
    return ranOut ? await signed(request, next) : response;
  };
}

function ignore(): void {
  // Whoever waits for the challenge looks at the session, not at this answer.
}
