/** The data of a request: its entry in the request log, and what its response depends on. */
import type { FastifyRequest } from "fastify";
import type { RawQuery } from "../api/query";
import type { Principal } from "../authentication/principals";
import { isoDate } from "../seed/dates";
import type { Fault } from "./fault";
import type { ReceivedRequest, RequestLog } from "./requestLog";

declare module "fastify" {
  interface FastifyRequest {
    /** Data of the request; null if it is not for the API or the token endpoint. */
    exchange: Exchange | null;
  }
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The data of one request. */
export interface Exchange {
  /** Entry in the request log, without an outcome until the response is sent. */
  readonly received: Writable<ReceivedRequest>;
  /** Path without the query. */
  readonly path: string;
  /** Fault that applies to the request. */
  readonly fault: Fault | undefined;
  /** Caller, once authenticated. */
  principal: Principal | undefined;
  /** Parsed JSON body. */
  body: unknown;
}

/**
 * Adds a request to the request log, and attaches its data to it.
 *
 * @param request the request
 * @param requestLog the request log
 * @param now milliseconds since 1970
 * @param operation name of the operation; undefined for an unknown path
 * @param fault fault that applies to the request
 * @returns the data of the request
 */
export function beginExchange(
  request: FastifyRequest,
  requestLog: RequestLog,
  now: number,
  operation: string | undefined,
  fault: Fault | undefined,
): Exchange {
  const path = pathOf(request);
  const received: Exchange["received"] = {
    at: isoDate(now),
    method: request.method,
    path,
    query: { ...rawQueryOf(request) },
    ...(operation === undefined ? {} : { operation }),
    authenticated: false,
    challenged: false,
    status: 0,
    faulty: fault !== undefined,
  };
  requestLog.add(received);
  const exchange: Exchange = { received, path, fault, principal: undefined, body: undefined };
  request.exchange = exchange;
  return exchange;
}

/**
 * Completes the entry of a request in the request log. Must be called before the response is sent, so that
 * the entry is complete when the client receives the response.
 *
 * @param exchange the data of the request
 * @param request the request
 * @param status HTTP status of the response; 0 if the connection is reset
 */
export function completeExchange(
  { received, principal, body }: Exchange,
  request: FastifyRequest,
  status: number,
): void {
  received.status = status;
  received.challenged = status === 401 && request.headers.authorization === undefined;
  if (body !== undefined) received.body = body;
  if (principal === undefined) return;
  received.authenticated = true;
  received.principal = principal.id;
}

/**
 * Returns the path of a request without its query.
 *
 * @param request the request
 * @returns the path as received
 */
export function pathOf(request: FastifyRequest): string {
  const query = request.url.indexOf("?");
  return query < 0 ? request.url : request.url.slice(0, query);
}

/**
 * Returns the query parameters of a request.
 *
 * @param request the request
 * @returns strings; arrays for repeated parameters
 */
export function rawQueryOf(request: FastifyRequest): RawQuery {
  return request.query as RawQuery;
}
