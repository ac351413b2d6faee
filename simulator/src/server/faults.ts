/** Faults: errors, delays and broken connections that tests inject into the next responses. */
import { validateHeaderName, validateHeaderValue } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { jsonType, renderError } from "../api/response";
import { parse } from "../seed/validation";

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

/** @internal */
export const faultSchema = z.strictObject({
  method: z.string().min(1).optional(),
  path: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  withCredentials: z.boolean().optional(),
  times: z.union([z.int().min(1), z.literal(Infinity)]).default(1),
  status: z.int().min(200).max(599).optional(),
  body: z.unknown().optional(),
  headers: z
    .record(z.string(), z.string())
    .refine(areHeaders, "must be names and values of HTTP headers")
    .optional(),
  delayMs: z.number().min(0).max(600_000).optional(),
  reset: z.union([z.literal(true), z.literal("after")]).optional(),
  truncate: z.boolean().optional(),
});

function areHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    return true;
  } catch {
    return false;
  }
}

type ValidFault = z.output<typeof faultSchema>;

/** @internal */
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

  /** Returns the first fault that matches a request, and counts the request against it. */
  take(request: MatchedRequest): Fault | undefined {
    const fault = this.queue.find((queued) => matches(queued, request));
    if (!fault) return undefined;
    fault.times -= 1;
    if (fault.times <= 0) this.queue = this.queue.filter((queued) => queued !== fault);
    return fault;
  }
}

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

/** Calls a function after the delay of a fault. The delay does not keep a stopped simulator alive. @internal */
export function delayFor(fault: Fault | undefined, next: () => void): void {
  if (fault?.delayMs) setTimeout(next, fault.delayMs).unref();
  else next();
}

/** Responds with the status of a fault, or resets the connection before the request is processed. @internal */
export function sendFaultResponse(
  fault: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  if (fault.reset === true) {
    reply.hijack();
    request.raw.socket.destroy();
    return true;
  }
  if (fault.status === undefined) return false;
  const { status, body = defaultBody(status) } = fault;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = text.startsWith("<") ? "text/html; charset=utf-8" : jsonType;
  void reply
    .code(status)
    .type(type)
    .headers(fault.headers ?? {})
    .send(text);
  return true;
}

/** Sends the headers with the full length but only half of the body, and closes the connection. @internal */
export function truncateResponse(payload: unknown, reply: FastifyReply): void {
  const bytes = Buffer.from(typeof payload === "string" ? payload : "");
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.setHeader("content-length", Math.max(bytes.length, 1));
  reply.raw.writeHead(reply.statusCode);
  reply.raw.flushHeaders();
  reply.raw.write(bytes.subarray(0, bytes.length >> 1), () => reply.raw.destroy());
}

function defaultBody(status: number): string {
  return renderError({ status, errorCode: "FAULT", message: "Injected fault.", parameters: [] });
}
