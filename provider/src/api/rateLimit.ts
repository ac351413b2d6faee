/**
 * Enforces the service's limit of requests per minute for each project (service document 8): a request
 * over the limit waits here instead of being refused by the service.
 */
import { escapeText } from "./escapeText";
import type { Exchange } from "./transport";

/** A limit of requests. */
export interface RateLimit {
  /** Maximum requests in any window, for each project. */
  readonly requests: number;
  readonly windowSeconds: number;
  /** Called once for each request that waits for over two seconds. */
  readonly onWait: (message: string) => void;
}

export interface RateLimiter {
  /** Waits until the limit allows one more request of the project, and counts that request. */
  takeTurn(projectId: string): Promise<void>;
  /** Creates an exchange whose requests wait for their turn, except those that already have one. */
  within(exchange: Exchange): Exchange;
}

/** Limits each project separately; requests that belong to no project are not limited. */
export function rateLimiter(limit: RateLimit): RateLimiter {
  const turns = new Map<string, Promise<() => Promise<void>>>();

  const takeTurn = async (projectId: string) => {
    const ofProject = turns.get(projectId) ?? turnsWithin(limit);
    turns.set(projectId, ofProject);
    const turn = await ofProject;
    await logWait(turn(), limit, projectId);
  };

  return {
    takeTurn,
    within: (exchange) => async (request) => {
      const { projectId, hasTurn } = request;
      if (projectId !== undefined && hasTurn !== true) await takeTurn(projectId);
      return await exchange(request);
    },
  };
}

/** Returns a function whose promise resolves when the next request may start. */
async function turnsWithin({ requests, windowSeconds }: RateLimit): Promise<() => Promise<void>> {
  // Loaded late: many processes make no request at all.
  const { default: pThrottle } = await import("p-throttle");
  const throttle = pThrottle({ limit: requests, interval: windowSeconds * 1000, strict: true });
  return throttle(() => Promise.resolve());
}

/** Shorter waits are not logged, in milliseconds. */
const quietWait = 2000;

async function logWait(turn: Promise<void>, { requests, onWait }: RateLimit, projectId: string) {
  const timer = setTimeout(() => {
    const project = escapeText(projectId, 100);
    onWait(`waiting: project ${project} has used its ${requests} requests for this minute`);
  }, quietWait);
  try {
    await turn;
  } finally {
    clearTimeout(timer);
  }
}
