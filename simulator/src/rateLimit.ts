// The rate limit: a number of requests per minute and project, shared by all callers
// (service document 8).
import type { Clock } from "./clock";

export interface RateLimit {
  /** Counts a request to a project; the seconds until the count is back at zero if it is one too many. */
  count(projectId: string): { allowed: true } | { allowed: false; resetInSeconds: number };
  reset(): void;
}

const MINUTE = 60_000;

export function createRateLimit(requestsPerMinute: number, clock: Clock): RateLimit {
  const windows = new Map<string, { began: number; count: number }>();
  return {
    count: (projectId) => {
      const now = clock.now();
      let window = windows.get(projectId);
      // A minute begins with its first request, so that no test straddles two by chance.
      if (!window || now - window.began >= MINUTE || now < window.began) {
        window = { began: now, count: 0 };
        windows.set(projectId, window);
      }
      window.count++;
      if (window.count <= requestsPerMinute) return { allowed: true };
      return { allowed: false, resetInSeconds: Math.ceil((window.began + MINUTE - now) / 1000) };
    },
    reset: () => {
      windows.clear();
    },
  };
}
