/** Keeps the data of a request until it is written to the request log. */
import type { FastifyRequest } from "fastify";
import type { RawQuery } from "../api/query";
import type { Principal } from "../authentication/principals";
import { isoDate } from "../seed/dates";
import type { Fault } from "./faults";
import type { ReceivedRequest } from "./requestLog";

declare module "fastify" {
  interface FastifyRequest {
    /** Data of the request; null if it is not for the API or the token endpoint. */
    exchange: Exchange | null;
  }
}

/** The data of one request. */
export interface Exchange {
  /** Time of arrival: ISO 8601 in UTC. */
  readonly at: string;
  /** Path without the query. */
  readonly path: string;
  /** Name of the operation; undefined for an unknown path. */
  readonly operation: string | undefined;
  /** Fault that applies to the request. */
  readonly fault: Fault | undefined;
  /** Caller, once authenticated. */
  principal: Principal | undefined;
  /** Parsed JSON body. */
  body: unknown;
}

/**
 * Attaches data to a request.
 *
 * @param request the request
 * @param now milliseconds since 1970
 * @param operation name of the operation; undefined for an unknown path
 * @param fault fault that applies to the request
 * @returns the data of the request
 */
export function beginExchange(
  request: FastifyRequest,
  now: number,
  operation: string | undefined,
  fault: Fault | undefined,
): Exchange {
  const exchange: Exchange = {
    at: isoDate(now),
    path: pathOf(request),
    operation,
    fault,
    principal: undefined,
    body: undefined,
  };
  request.exchange = exchange;
  return exchange;
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

/**
 * Creates the entry of the request log.
 *
 * @param exchange the data of the request
 * @param request the request
 * @param status HTTP status of the response; 0 if the connection was reset
 * @returns the entry
 */
export function toReceived(
  exchange: Exchange,
  request: FastifyRequest,
  status: number,
): ReceivedRequest {
  const { operation, principal, body, fault } = exchange;
  return {
    at: exchange.at,
    method: request.method,
    path: exchange.path,
    query: { ...rawQueryOf(request) },
    ...(operation === undefined ? {} : { operation }),
    ...(body === undefined ? {} : { body }),
    authenticated: principal !== undefined,
    challenged: status === 401 && request.headers.authorization === undefined,
    ...(principal === undefined ? {} : { principal: principal.id }),
    status,
    faulty: fault !== undefined,
  };
}
