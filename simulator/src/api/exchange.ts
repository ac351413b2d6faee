// What is known of one request on its way through the hooks, until the journal takes it.
import type { FastifyRequest } from "fastify";
import type { Principal } from "../authentication/principals";
import type { Fault } from "../faults";
import type { ReceivedRequest } from "../requests";
import { isoDate } from "../seed";
import type { RawQuery } from "./query";

export interface Exchange {
  readonly at: string;
  /** Without the query. */
  readonly path: string;
  readonly operation: string | undefined;
  readonly fault: Fault | undefined;
  principal: Principal | undefined;
  body: unknown;
}

const exchanges = new WeakMap<FastifyRequest["raw"], Exchange>();

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
  exchanges.set(request.raw, exchange);
  return exchange;
}

/** Undefined for a request that is none of the API's. */
export function exchangeOf(request: FastifyRequest): Exchange | undefined {
  return exchanges.get(request.raw);
}

export function pathOf(request: FastifyRequest): string {
  const query = request.url.indexOf("?");
  return query < 0 ? request.url : request.url.slice(0, query);
}

/** The query as Fastify parsed it: texts, or lists of texts where a name came twice. */
export function rawQueryOf(request: FastifyRequest): RawQuery {
  return request.query as RawQuery;
}

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
