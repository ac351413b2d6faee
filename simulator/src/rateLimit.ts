/** The rate limit: requests per minute and project, shared by all callers (service document 8). */
import type { Clock } from "./clock";

/** Counts requests by project. */
export interface RateLimit {
  /**
   * Counts a request.
   *
   * @param projectId the project of the request
   * @returns whether the request is within the limit; if not, the seconds until the counter resets
   */
  count(projectId: string): { allowed: true } | { allowed: false; resetInSeconds: number };
  /** Resets all counters. */
  reset(): void;
}

const minuteMilliseconds = 60_000;

/**
 * Creates a rate limit with empty counters. A project's minute starts with its first request, so
 * that a test never spans two minutes by accident.
 *
 * @param requestsPerMinute the limit of each project; `Infinity` allows every request
 * @param clock the time source
 * @returns the rate limit
 */
export function createRateLimit(requestsPerMinute: number, clock: Clock): RateLimit {
  const windows = new Map<string, { start: number; count: number }>();
  return {
    count: (projectId) => {
      const now = clock.now();
      let window = windows.get(projectId);
      // The clock runs backwards after a reset.
      if (!window || now - window.start >= minuteMilliseconds || now < window.start) {
        window = { start: now, count: 0 };
        windows.set(projectId, window);
      }
      window.count += 1;
      if (window.count <= requestsPerMinute) return { allowed: true };
      const remaining = window.start + minuteMilliseconds - now;
      return { allowed: false, resetInSeconds: Math.ceil(remaining / 1000) };
    },
    reset: () => {
      windows.clear();
    },
  };
}
