// Faults: what the next requests get in place of, or on top of, the right answer.
import { z } from "zod";
import { parse } from "./seed";

export const faultSchema = z.strictObject({
  /** Only requests of this method. */
  method: z.string().min(1).optional(),
  /** Only requests to this path (without the query), or to paths that match. */
  path: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  /** true: only requests that carry credentials; false: only those that carry none. */
  withCredentials: z.boolean().optional(),
  /** How many requests; Infinity for all. Default 1. */
  times: z.union([z.int().min(1), z.literal(Infinity)]).default(1),
  /** The status to answer with. With it, the service itself does not see the request. */
  status: z.int().min(200).max(599).optional(),
  /** The body to answer with: text as it is, anything else as JSON. Default with a status: five fields. */
  body: z.unknown().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Milliseconds to wait before anything else. */
  delayMs: z.number().min(0).max(600_000).optional(),
  /** Resets the connection: before the service sees the request, or after it has done its work. */
  reset: z.union([z.literal(true), z.literal("after")]).optional(),
  /** Breaks the connection off in the middle of the answer's body. */
  truncate: z.boolean().optional(),
});

/** One entry of the queue. Without status and reset, the right answer is delayed or truncated. */
export type Fault = z.input<typeof faultSchema>;
type ValidFault = z.output<typeof faultSchema>;

export interface Faults {
  /** Queues faults. @throws {SeedError} with the path of what is wrong */
  push(...faults: Fault[]): void;
  /** What is still to come. */
  readonly pending: readonly Fault[];
  clear(): void;
}

export interface FaultQueue extends Faults {
  /** Takes the first fault that is meant for such a request, if there is one. */
  take(request: { method: string; path: string; hasCredentials: boolean }): ValidFault | undefined;
}

export function createFaults(): FaultQueue {
  let pending: ValidFault[] = [];
  return {
    get pending() {
      return pending;
    },
    push: (...faults) => {
      pending.push(...faults.map((fault) => parse(faultSchema, fault, "The fault")));
    },
    clear: () => {
      pending = [];
    },
    take: ({ method, path, hasCredentials }) => {
      const fault = pending.find(
        (each) =>
          (each.method === undefined || each.method.toUpperCase() === method) &&
          (each.withCredentials === undefined || each.withCredentials === hasCredentials) &&
          (each.path === undefined ||
            (typeof each.path === "string" ? each.path === path : each.path.test(path))),
      );
      if (!fault) return undefined;
      fault.times--;
      if (fault.times <= 0) pending = pending.filter((each) => each !== fault);
      return fault;
    },
  };
}
