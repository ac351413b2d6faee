/** The types of requests to the service and their responses, before a schema is applied. */
import type { Redact } from "./redact";

/** A request to the service, before or after authentication. */
export interface ServiceRequest {
  /** HTTP method. */
  readonly method: "GET" | "PATCH" | "POST";
  /** Path and query, as sent. */
  readonly path: string;
  /**
   * The project whose rate limit applies.
   *
   * @default none, for requests that do not concern a project
   */
  readonly projectId?: string | undefined;
  /**
   * The body of the request.
   *
   * @default no body
   */
  readonly body?: RequestBody;
  /**
   * The `Authorization` header.
   *
   * @default not sent
   */
  readonly authorization?: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /**
   * Aborts the request before its own timeout.
   *
   * @default never
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * The request does not wait for the rate limit, because its caller already did.
   *
   * @default false
   */
  readonly skipsRateLimit?: boolean | undefined;
  /**
   * Called after a 401, before the request is signed and sent again. If it returns false, the 401 is final.
   *
   * @default sends the request again
   */
  readonly mayResend?: (() => Promise<boolean>) | undefined;
  /**
   * Redacts credentials in messages about the request.
   *
   * @default redacts nothing
   */
  readonly redact?: Redact | undefined;
}

/** The body of a request, and how it is encoded. */
export type RequestBody =
  | { readonly type: "application/json"; readonly value: object }
  | { readonly type: "application/x-www-form-urlencoded"; readonly value: Record<string, string> };

/** A response of the service, with any status. */
export interface ServiceResponse {
  /** HTTP status. */
  readonly status: number;
  /** Names in lower case; a repeated header has several values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** The body as received. */
  readonly body: string;
  /**
   * Redacts credentials in messages about the response.
   *
   * @default redacts nothing
   */
  readonly redact?: Redact | undefined;
}

/**
 * Sends one request and resolves to the response, whatever its status.
 *
 * @throws NoResponseError if there is no response, or if it exceeds a timeout or size limit
 */
export type Exchange = (request: ServiceRequest) => Promise<ServiceResponse>;
