/**
 * The errors of requests to the service. Every message says what was requested, what happened and what to do next. None
 * contains credentials, because a request is described by its method and path.
 */
import { type ErrorCode, UserError } from "../messages/errors";
import { escapeText } from "../messages/text";
import { type FailedRequest, type FailedResponse, proofOf } from "./failedResponses";

/** The maximum length of a path in a message. Only those with unusual project IDs are longer. */
const maxPathLength = 300;

/** The failure of a request to the service. */
export class ApiError extends UserError {
  override readonly name: string = "ApiError";
  readonly code: ErrorCode;
  readonly method: string;
  /** The path, safe to print, and without its query, because a link of the service may contain credentials there. */
  readonly path: string;
  readonly attempts: number;

  /** @param problem what happened, and what to do; external text in it must be escaped, without credentials */
  constructor(code: ErrorCode, request: FailedRequest, problem: string, options?: ErrorOptions) {
    const { method, attempt: attempts } = request;
    const [withoutQuery = ""] = request.path.split("?");
    const path = escapeText(withoutQuery, maxPathLength);
    const attemptCount = attempts > 1 ? `, ${attempts} attempts` : "";
    super(`${problem} (${method} ${path}${attemptCount})`, options);
    this.code = code;
    this.method = method;
    this.path = path;
    this.attempts = attempts;
  }
}

/** The service, or something in its place, responded with another status than a success. */
export class ResponseError extends ApiError {
  override readonly name = "ResponseError";
  readonly status: number;
  /** The service's error code, safe to print. */
  readonly errorCode: string | undefined;
  /** The service's description of the failure, safe to print. */
  readonly detail: string | undefined;
  /** How long the service asks to wait before the next request, in seconds; undefined if unspecified. */
  readonly retryAfterSeconds: number | undefined;

  constructor(request: FailedRequest, response: FailedResponse) {
    const { status, errorCode, detail } = response;
    const { code, advice } = proofOf(request, response);
    const what = errorCode === undefined ? `${status}` : `${status} ${errorCode}`;
    const quoted = detail === undefined ? "" : `: "${detail}"`;
    // The detail may end with a period of its own.
    const end = /[.!?]"$/.test(quoted) ? "" : ".";
    super(code, request, `the service responded with ${what}${quoted}${end} ${advice}`);
    this.status = status;
    this.errorCode = errorCode;
    this.detail = detail;
    this.retryAfterSeconds = response.retryAfterSeconds;
  }

  /** Whether the response has an error code of the service (service document 7.2). No proxy or gateway sends one. */
  get isFromService(): boolean {
    return this.errorCode !== undefined;
  }
}

/** There is no response in time, or it cannot be understood, or it is not what was asked for. */
export class UnusableResponseError extends ApiError {
  override readonly name = "UnusableResponseError";
}

/** Returns whether a retry may succeed, because the service failed or there was no response. */
export function isTransient(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return error.code === "server-error" || error.code === "timeout" || error.code === "connection";
}

/**
 * Returns whether the service says that it has no such resource, or no GET for it. The service document has no GET for
 * the mode (4.5). A 404 or 405 of another server says nothing, and neither does one to a request for a token, a POST.
 */
export function isMissingOrNotAllowed(error: unknown): error is ResponseError {
  return (
    error instanceof ResponseError &&
    error.method === "GET" &&
    error.isFromService &&
    (error.code === "not-found" || error.code === "method-not-allowed")
  );
}
