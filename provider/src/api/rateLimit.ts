/**
 * Enforces the service's limit of requests per minute for each project (service document 8): a request
 * over the limit waits here instead of being rejected by the service.
 */
import { escapeText } from "./text";
import type { Exchange } from "./exchange";
import { abortable } from "./retry";

/** A limit on requests. */
export interface RateLimit {
  /** Maximum requests in any window, for each project. */
  readonly requests: number;
  /** Length of the window. The service counts requests per minute: 60. */
  readonly windowSeconds: number;
  /** Called once for each request that waits for over two seconds. */
  readonly onWait: (message: string) => void;
}

/** Delays requests over a {@link RateLimit}. */
export interface RateLimiter {
  /**
   * Waits until the limit allows one more request of the project, and counts that request. Rejects with
   * the signal's reason if the signal aborts first.
   */
  waitForRateLimit(projectId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Creates an exchange whose requests wait for the rate limit, except with `skipsRateLimit`. A request
   * whose signal aborts while it waits is not sent.
   */
  within(exchange: Exchange): Exchange;
}

/**
 * Creates a rate limiter, which limits each project separately. Requests that do not concern a project
 * are not limited.
 *
 * @param limit the limit for each project
 * @returns the rate limiter
 */
export function rateLimiter(limit: RateLimit): RateLimiter {
  return new ProjectRateLimiter(limit);
}

class ProjectRateLimiter implements RateLimiter {
  readonly #limit: RateLimit;
  readonly #throttles = new Map<string, Promise<Throttle>>();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  async waitForRateLimit(projectId: string, signal?: AbortSignal): Promise<void> {
    const throttle = this.#throttles.get(projectId) ?? createThrottle(this.#limit);
    this.#throttles.set(projectId, throttle);
    const startRequest = await throttle;
    signal?.throwIfAborted();
    await logWait(abortable(startRequest(), signal), this.#limit, projectId);
  }

  within(exchange: Exchange): Exchange {
    return async (request) => {
      const { projectId, skipsRateLimit, signal } = request;
      if (projectId !== undefined && skipsRateLimit !== true) {
        await this.waitForRateLimit(projectId, signal);
      }
      return await exchange(request);
    };
  }
}

/** Counts a request; the promise resolves when the request may start. */
type Throttle = () => Promise<void>;

async function createThrottle({ requests, windowSeconds }: RateLimit): Promise<Throttle> {
  // Loaded late: many processes make no request at all.
  const { default: pThrottle } = await import("p-throttle");
  const throttle = pThrottle({ limit: requests, interval: windowSeconds * 1000, strict: true });
  return throttle(() => Promise.resolve());
}

/** Shorter waits are not logged, in milliseconds. */
const minLoggedWait = 2000;

async function logWait(wait: Promise<void>, { requests, onWait }: RateLimit, projectId: string) {
  const timer = setTimeout(() => {
    const project = escapeText(projectId, 100);
    onWait(`waiting: project ${project} has used its ${requests} requests for this minute`);
  }, minLoggedWait);
  try {
    await wait;
  } finally {
    clearTimeout(timer);
  }
}
