/** Faults: errors, delays and broken connections that tests inject into the next responses. */
import { z } from "zod";
import { parse } from "../seed/validation";

/** Schema of a fault. */
export const faultSchema = z.strictObject({
  /** Matches only requests with this method. Default: any method. */
  method: z.string().min(1).optional(),
  /** Matches only requests to this path (without the query), or to paths that match. Default: any. */
  path: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  /** Matches only requests with credentials (true) or without (false). Default: both. */
  withCredentials: z.boolean().optional(),
  /**
   * Number of requests that the fault applies to; `Infinity` for all.
   *
   * @default 1
   */
  times: z.union([z.int().min(1), z.literal(Infinity)]).default(1),
  /** HTTP status to respond with. The service does not process the request. */
  status: z.int().min(200).max(599).optional(),
  /**
   * Body to respond with if `status` is set: a string unchanged, any other value as JSON.
   *
   * @default the five-field error body
   */
  body: z.unknown().optional(),
  /** Headers to respond with if `status` is set. */
  headers: z.record(z.string(), z.string()).optional(),
  /** Milliseconds to wait before processing the request. */
  delayMs: z.number().min(0).max(600_000).optional(),
  /** Resets the connection before (`true`) or after (`"after"`) the service processes the request. */
  reset: z.union([z.literal(true), z.literal("after")]).optional(),
  /** Ends the connection in the middle of the response body. */
  truncate: z.boolean().optional(),
});

/**
 * A fault to inject. Without `status` and `reset`, the real response is delayed or truncated.
 *
 * @example { method: "PATCH", status: 503, times: 2 }
 */
export type Fault = z.input<typeof faultSchema>;
type ValidFault = z.output<typeof faultSchema>;

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

/** The queue of faults, as the HTTP server sees it. */
export class FaultQueue implements Faults {
  private queue: ValidFault[] = [];

  get pending(): readonly Fault[] {
    return this.queue;
  }

  push(...faults: Fault[]): void {
    this.queue.push(...faults.map((fault) => parse(faultSchema, fault, "The fault")));
  }

  clear(): void {
    this.queue = [];
  }

  /**
   * Returns the first fault that matches a request, and counts the request against it.
   *
   * @param request the method in upper case, the path without the query, and whether there is an
   *   `Authorization` header
   * @returns the fault, or undefined if none matches
   */
  take(request: MatchedRequest): Fault | undefined {
    const fault = this.queue.find((each) => matches(each, request));
    if (!fault) return undefined;
    fault.times -= 1;
    if (fault.times <= 0) this.queue = this.queue.filter((each) => each !== fault);
    return fault;
  }
}

/** The parts of a request that faults match. */
interface MatchedRequest {
  readonly method: string;
  readonly path: string;
  readonly hasCredentials: boolean;
}

function matches(fault: Fault, { method, path, hasCredentials }: MatchedRequest): boolean {
  return (
    (fault.method === undefined || fault.method.toUpperCase() === method) &&
    (fault.withCredentials === undefined || fault.withCredentials === hasCredentials) &&
    (fault.path === undefined ||
      // Unlike test(), search() ignores the position that an expression with the flag g keeps.
      (typeof fault.path === "string" ? fault.path === path : path.search(fault.path) >= 0))
  );
}
