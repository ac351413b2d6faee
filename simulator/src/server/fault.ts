/** Faults: errors, delays and broken connections that tests inject into the next responses. */

/**
 * A fault to inject. Without `status` and `reset`, the real response is delayed or truncated.
 *
 * @example { method: "PATCH", status: 503, times: 2 }
 */
export interface Fault {
  /** Matches only requests with this method. Default: any method. */
  method?: string | undefined;
  /** Matches only requests to this path (without the query), or to paths that match. Default: any. */
  path?: string | RegExp | undefined;
  /** Matches only requests with credentials (true) or without (false). Default: both. */
  withCredentials?: boolean | undefined;
  /**
   * Number of requests that the fault applies to; `Infinity` for all.
   *
   * @default 1
   */
  times?: number | undefined;
  /** HTTP status to respond with, 200 to 599. The service does not process the request. */
  status?: number | undefined;
  /**
   * Body to respond with if `status` is set: a string unchanged, any other value as JSON.
   *
   * @default the five-field error body
   */
  body?: unknown;
  /** Headers to respond with if `status` is set. */
  headers?: Record<string, string> | undefined;
  /** Milliseconds to wait before processing the request, at most 600,000. */
  delayMs?: number | undefined;
  /** Resets the connection before (`true`) or after (`"after"`) the service processes the request. */
  reset?: true | "after" | undefined;
  /** Ends the connection in the middle of the response body. */
  truncate?: boolean | undefined;
}

/** The queue of faults, as tests see it. */
export interface Faults {
  /**
   * Adds faults to the queue. Each request gets the first fault that matches it.
   *
   * @param faults the faults, in order
   * @throws SeedError if a fault is invalid; the message contains the path of each problem
   * @example service.faults.push({ method: "PATCH", status: 503 });
   */
  push(...faults: Fault[]): void;
  /** Faults that still apply to future requests. */
  readonly pending: readonly Fault[];
  /** Removes all faults. */
  clear(): void;
}
