/**
 * The errors of requests to the service: {@link ApiError}, with the subclasses {@link ResponseError}
 * (the service responded with a failure) and {@link NoAnswerError} (there is no response, or it cannot
 * be understood).
 *
 * Every message says what was requested, what happened and what to do next. No message contains
 * credentials: a request is described by its method and path.
 */
import { isAccessListRefusal, isDuplicate, namesConflict } from "./advice";
import type { ErrorBody } from "./errorBody";
import { escapeText } from "./escapeText";

/** Machine-readable codes of errors. */
export const errorCodes = {
  /** 401: the credentials are missing, wrong, or not valid for the resource. */
  authentication: "authentication",
  /** 401 or 403: the service says that the API access list refuses this machine's address. */
  accessList: "access-list",
  /** 403: the principal is known, but its roles do not allow the request. */
  forbidden: "forbidden",
  /** 404: the resource, or the project it is in, does not exist. */
  notFound: "not-found",
  /** 405: the resource does not support the method. */
  methodNotAllowed: "method-not-allowed",
  /** 409: the change would duplicate a unique value, or the service gives no reason. */
  conflict: "conflict",
  /** 400 and other 4xx: an unknown or unmodifiable field, or a value that is not allowed. */
  invalidField: "invalid-field",
  /** 400 with an errorCode `CANNOT_...`, or 409 with one about a state: refused in the current state. */
  refused: "refused",
  /** 429: the rate limit was exceeded for longer than the call could wait. */
  rateLimited: "rate-limited",
  /** 5xx: the service failed, also after retries. */
  server: "server",
  /** The response does not match the service document. */
  malformed: "malformed-answer",
  /** No response: name resolution, the connection or TLS failed. */
  transport: "transport",
  /** No response in time. */
  timeout: "timeout",
} as const;

export type ErrorCode = (typeof errorCodes)[keyof typeof errorCodes];

/** The request that an error is about. */
export interface FailedRequest {
  readonly method: string;
  /** Path and query; never credentials. */
  readonly path: string;
  /** How often the request was sent. */
  readonly attempts: number;
}

/** The maximum length of a path in a message. Only unusual links of a service are longer. */
const longestPath = 300;

/** Base of all errors that this client throws. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  readonly code: ErrorCode;
  readonly method: string;
  /** Path and query, safe to print; never credentials. */
  readonly path: string;
  /** How often the request was sent. */
  readonly attempts: number;
  /** The message without the request. */
  readonly problem: string;

  /**
   * @param code what went wrong
   * @param request the request, whose path carries no credentials
   * @param problem what happened and what to do; text from outside in it is escaped
   * @param options the cause
   */
  constructor(code: ErrorCode, request: FailedRequest, problem: string, options?: ErrorOptions) {
    const { method, attempts } = request;
    const path = escapeText(request.path, longestPath);
    const tries = attempts > 1 ? ` (${attempts} times)` : "";
    super(`${method} ${path}${tries}: ${problem}`, options);
    this.code = code;
    this.method = method;
    this.path = path;
    this.attempts = attempts;
    this.problem = problem;
  }
}

/** The service responded with a failure. */
export class ResponseError extends ApiError {
  override readonly name = "ResponseError";
  /** HTTP status. */
  readonly status: number;
  /** The service's error code, safe to print. */
  readonly errorCode: string | undefined;
  /** The service's description of the failure, safe to print. */
  readonly detail: string | undefined;
  readonly parameters: readonly unknown[];
  /** How long the service asks to wait before the next request, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  /**
   * @param request the request, whose path carries no credentials
   * @param answer the status, and how long the service asks to wait
   * @param body the result of `readErrorBody`
   * @param advice what to do
   */
  constructor(
    request: FailedRequest,
    answer: { readonly status: number; readonly retryAfterSeconds?: number | undefined },
    body: ErrorBody,
    advice: string,
  ) {
    const { status } = answer;
    const named = body.errorCode === undefined ? `${status}` : `${status} ${body.errorCode}`;
    const unread = body.unread === undefined ? "" : ` with ${body.unread}`;
    const said = body.detail === undefined ? unread : `, "${body.detail}"`;
    super(codeOf(status, body), request, `the service answered ${named}${said}. ${advice}`);
    this.status = status;
    this.errorCode = body.errorCode;
    this.detail = body.detail;
    this.parameters = body.parameters;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }
}

/** There is no response, or it cannot be understood. */
export class NoAnswerError extends ApiError {
  override readonly name = "NoAnswerError";
}

/** The service's certificate is not trusted, so retrying cannot help. */
export class UntrustedCertificateError extends NoAnswerError {}

/** Returns whether a retry may succeed. */
export function isTransient(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error instanceof UntrustedCertificateError) return false;
  const passing: readonly ErrorCode[] = [
    errorCodes.server,
    errorCodes.timeout,
    errorCodes.transport,
  ];
  return passing.includes(error.code);
}

function codeOf(status: number, { errorCode }: ErrorBody): ErrorCode {
  switch (status) {
    case 401:
    case 403:
      if (isAccessListRefusal(errorCode)) return errorCodes.accessList;
      return status === 401 ? errorCodes.authentication : errorCodes.forbidden;
    case 404:
      return errorCodes.notFound;
    case 405:
      return errorCodes.methodNotAllowed;
    case 409:
      return !namesConflict(errorCode) || isDuplicate(errorCode)
        ? errorCodes.conflict
        : errorCodes.refused;
    case 429:
      return errorCodes.rateLimited;
    default:
      if (status >= 500) return errorCodes.server;
      // A redirect or an unexpected success: this is not the service's API.
      if (status < 400) return errorCodes.malformed;
      return errorCode?.startsWith("CANNOT_") ? errorCodes.refused : errorCodes.invalidField;
  }
}
