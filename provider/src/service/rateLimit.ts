/** Requests over the limit per minute and project (service document 8) wait here instead of being rejected. */
import { escapeText } from "../messages/text";
import type { Exchange } from "./exchange";
import { abortable } from "./retry";

export interface RateLimit {
  /** Maximum requests in any window, for each project. */
  readonly requests: number;
  /** Length of the window. The service counts requests per minute, so 60. */
  readonly windowSeconds: number;
  /** Called once for each request that waits for over two seconds. */
  readonly onWait: (reason: string) => void;
}

/** A place in the rate limit. It allows one request, for which the caller has waited, and which is already counted. */
export class RateLimitPlace {
  #isUsed = false;

  use(): void {
    if (this.#isUsed) throw new Error("a place in the rate limit was used twice");
    this.#isUsed = true;
  }
}

/** Delays requests over a {@link RateLimit}, for each key separately. Requests without a key are not limited. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #throttles = new Map<string, Promise<Throttle>>();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Waits until the limit allows a request with this key, and counts it. Rejects with the signal's reason. */
  async waitForPlace(key: string, signal?: AbortSignal): Promise<RateLimitPlace> {
    const throttle = this.#throttles.get(key) ?? createThrottle(this.#limit);
    this.#throttles.set(key, throttle);
    const startRequest = await throttle;
    signal?.throwIfAborted();
    await logWait(abortable(startRequest(), signal), this.#limit, key);
    return new RateLimitPlace();
  }

  /** Creates an exchange whose requests wait for the rate limit if they have a key. */
  withLimit(exchange: Exchange): Exchange {
    return async (request) => {
      const { rateLimitKey, signal, onSend } = request;
      if (rateLimitKey !== undefined) (await this.waitForPlace(rateLimitKey, signal)).use();
      onSend?.();
      return await exchange(request);
    };
  }
}

/** Counts a request; the promise resolves when the request may start. */
type Throttle = () => Promise<void>;

async function createThrottle({ requests, windowSeconds }: RateLimit): Promise<Throttle> {
  // Loaded late, because many processes make no request at all.
  const { default: pThrottle } = await import("p-throttle");
  const throttle = pThrottle({ limit: requests, interval: windowSeconds * 1000, strict: true });
  return throttle(() => Promise.resolve());
}

/** Waits, and reports a wait that takes longer than two seconds. */
async function logWait(wait: Promise<void>, { requests, onWait }: RateLimit, key: string) {
  const timer = setTimeout(() => {
    const project = escapeText(key, 100);
    onWait(`waiting: project ${project} has used its ${requests} requests for this minute`);
  }, 2000);
  try {
    await wait;
  } finally {
    clearTimeout(timer);
  }
}
