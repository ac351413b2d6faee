/**
 * Enforces the service's limit of requests per minute for each project (service document 8): a request
 * over the limit waits here instead of being rejected by the service.
 */
import { escapeText } from "../messages/text";
import type { Exchange } from "./exchange";
import { abortable } from "./retry";

export interface RateLimit {
  /** Maximum requests in any window, for each project. */
  readonly requests: number;
  /** Length of the window. The service counts requests per minute, so 60. */
  readonly windowSeconds: number;
  /** Called once for each request that waits for over two seconds. */
  readonly onWait: (message: string) => void;
}

/** Delays requests over a {@link RateLimit}. Requests that do not concern a project are not limited. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #throttles = new Map<string, Promise<Throttle>>();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /**
   * Waits until the limit allows one more request of the project, and counts that request. Rejects with
   * the signal's reason if the signal aborts first.
   */
  async waitForRateLimit(projectId: string, signal?: AbortSignal): Promise<void> {
    const throttle = this.#throttles.get(projectId) ?? createThrottle(this.#limit);
    this.#throttles.set(projectId, throttle);
    const startRequest = await throttle;
    signal?.throwIfAborted();
    await logWait(abortable(startRequest(), signal), this.#limit, projectId);
  }

  /** Creates an exchange whose requests wait for the rate limit if they name a project. */
  within(exchange: Exchange): Exchange {
    return async (request) => {
      const { projectId, signal } = request;
      if (projectId !== undefined) await this.waitForRateLimit(projectId, signal);
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

async function logWait(wait: Promise<void>, { requests, onWait }: RateLimit, projectId: string) {
  const timer = setTimeout(() => {
    const project = escapeText(projectId, 100);
    onWait(`waiting: project ${project} has used its ${requests} requests for this minute`);
  }, 2000);
  try {
    await wait;
  } finally {
    clearTimeout(timer);
  }
}
