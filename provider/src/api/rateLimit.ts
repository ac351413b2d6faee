/**
 * Keeps within the service's limit of requests a minute, counted per project (service document 8):
 * what is over it waits here instead of being refused there.
 */
import type { Exchange } from "./transport";

export interface RateLimit {
  /** Requests in any window, for each project. */
  readonly requests: number;
  readonly windowSeconds: number;
  /** Told once of each request that waits for over two seconds. */
  readonly onWait: (message: string) => void;
}

export function withinRateLimit(limit: RateLimit, exchange: Exchange): Exchange {
  const turns = new Map<string, Promise<() => Promise<void>>>();
  return async (request) => {
    const { projectId } = request;
    if (projectId === undefined) return await exchange(request);
    const ofProject = turns.get(projectId) ?? turnsWithin(limit);
    turns.set(projectId, ofProject);
    const turn = await ofProject;
    await told(turn(), limit, projectId);
    await request.beforeSend?.();
    return await exchange(request);
  };
}

/** Gives a promise that is kept when the next request may start. */
async function turnsWithin({ requests, windowSeconds }: RateLimit): Promise<() => Promise<void>> {
  // Loaded late: many a process makes no request at all.
  const { default: pThrottle } = await import("p-throttle");
  const throttle = pThrottle({ limit: requests, interval: windowSeconds * 1000, strict: true });
  return throttle(() => Promise.resolve());
}

/** Waits shorter than this are not worth a word, in milliseconds. */
const quietWait = 2000;

async function told(turn: Promise<void>, { requests, onWait }: RateLimit, projectId: string) {
  const timer = setTimeout(() => {
    onWait(`waiting: project ${projectId} has had its ${requests} requests of this minute`);
  }, quietWait);
  try {
    await turn;
  } finally {
    clearTimeout(timer);
  }
}
