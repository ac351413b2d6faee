/** The queue of faults that tests inject into the next responses. fault.ts describes a fault. */
import { z } from "zod";
import { parse } from "../seed/validation";
import type { Fault, Faults } from "./fault";

/** Schema of a fault. */
export const faultSchema = z.strictObject({
  method: z.string().min(1).optional(),
  path: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  withCredentials: z.boolean().optional(),
  times: z.union([z.int().min(1), z.literal(Infinity)]).default(1),
  status: z.int().min(200).max(599).optional(),
  body: z.unknown().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  delayMs: z.number().min(0).max(600_000).optional(),
  reset: z.union([z.literal(true), z.literal("after")]).optional(),
  truncate: z.boolean().optional(),
});

type ValidFault = z.output<typeof faultSchema>;

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
