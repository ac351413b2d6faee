/** The request log: the requests that the simulator received, for tests and for the status page. */
import type { FastifyRequest } from "fastify";
import type { RawQuery } from "../api/request";
import type { Principal } from "../authentication/authentication";
import { isoDate } from "../seed/validation";
import type { Fault } from "./faults";

/** A request to the API or the token endpoint, with its outcome. */
export interface ReceivedRequest {
  /** Time of arrival: ISO 8601 in UTC. */
  readonly at: string;
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Query parameters. A parameter that was sent several times is an array. */
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Name of the operation, for example `listClusters`. Absent for an unknown path. */
  readonly operation?: string;
  /** Parsed JSON body. Absent for token requests. */
  readonly body?: unknown;
  /** True if the request had no credentials and the response was a 401 with a challenge. */
  readonly challenged: boolean;
  /** Public key or client ID of the caller. Absent without valid credentials. */
  readonly principal?: string;
  /** HTTP status of the response; 0 until it is sent, or if a fault reset the connection. */
  readonly status: number;
  /** True if a fault was applied to the request. */
  readonly faulty: boolean;
}

/** Number of requests that the log keeps. */
const capacity = 10_000;

export class RequestLog {
  /** The last 10,000 requests, in the order of their arrival. `clear` empties this array. */
  readonly requests: ReceivedRequest[] = [];

  add(request: ReceivedRequest): void {
    this.requests.push(request);
    if (this.requests.length > capacity) this.requests.shift();
  }

  clear(): void {
    this.requests.length = 0;
  }
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** @internal */
export interface RequestRecord {
  /** Entry in the request log, without an outcome until the response is sent. */
  readonly received: Writable<ReceivedRequest>;
  /** Fault that applies to the request. */
  readonly fault: Fault | undefined;
  /** Caller, once authenticated. */
  principal: Principal | undefined;
}

/** @internal */
export function beginRecord(
  request: FastifyRequest,
  requestLog: RequestLog,
  now: number,
  fault: Fault | undefined,
): RequestRecord {
  const { operation } = request.routeOptions.config;
  const received: RequestRecord["received"] = {
    at: isoDate(now),
    method: request.method,
    path: pathOf(request),
    query: { ...rawQueryOf(request) },
    ...(operation === undefined ? {} : { operation }),
    challenged: false,
    status: 0,
    faulty: fault !== undefined,
  };
  requestLog.add(received);
  request.requestRecord = { received, fault, principal: undefined };
  return request.requestRecord;
}

/**
 * Completes the entry of a request in the request log. Must be called before the response is sent, so that the entry is
 * complete when the client receives the response.
 * @internal
 */
export function completeRecord(
  { received, principal }: RequestRecord,
  request: FastifyRequest,
  status: number,
): void {
  received.status = status;
  received.challenged = status === 401 && request.headers.authorization === undefined;
  if (principal !== undefined) received.principal = principal.id;
}

/** Returns the path of a request without its query. @internal */
export function pathOf(request: FastifyRequest): string {
  const query = request.url.indexOf("?");
  return query < 0 ? request.url : request.url.slice(0, query);
}

/** @internal */
export function rawQueryOf(request: FastifyRequest): RawQuery {
  return request.query as RawQuery;
}
