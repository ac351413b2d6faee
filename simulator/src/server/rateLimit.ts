/** The rate limit: requests per minute and project, shared by all callers (service document 8). */
import type { Clock } from "../store/clock";

const minuteMilliseconds = 60_000;

/**
 * Counts requests by project. A project's minute starts with its first request, so that a test never
 * spans two minutes by accident.
 */
export class RateLimit {
  /** The current minute of each project. */
  private readonly windows = new Map<string, { start: number; count: number }>();

  /**
   * Creates a rate limit with empty counters.
   *
   * @param requestsPerMinute the limit of each project; `Infinity` allows every request
   * @param clock the time source
   */
  constructor(
    private readonly requestsPerMinute: number,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts a request.
   *
   * @param projectId the project of the request
   * @returns whether the request is within the limit; if not, the seconds until the counter resets
   */
  count(projectId: string): { allowed: true } | { allowed: false; resetInSeconds: number } {
    const now = this.clock.now();
    let window = this.windows.get(projectId);
    // The clock runs backwards after a reset.
    if (!window || now - window.start >= minuteMilliseconds || now < window.start) {
      window = { start: now, count: 0 };
      this.windows.set(projectId, window);
    }
    window.count += 1;
    if (window.count <= this.requestsPerMinute) return { allowed: true };
    const remaining = window.start + minuteMilliseconds - now;
    return { allowed: false, resetInSeconds: Math.ceil(remaining / 1000) };
  }

  /** Resets all counters. */
  reset(): void {
    this.windows.clear();
  }
}
