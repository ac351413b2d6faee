/**
 * What can go wrong between this client and the service, as one small hierarchy.
 *
 * Every error says what was asked of which path and what to do next. None of them carries a
 * credential: requests are described by method and path alone.
 */

/** What went wrong, for programs. The text for people is the error's message. */
export const errorCodes = {
  /** 401: the credentials are absent, wrong, or not allowed to reach the resource; or the API access list refuses this address. */
  authentication: "authentication",
  /** 401 or 403 where the service says that it is the API access list that refuses this address. */
  accessList: "access-list",
  /** 403: the principal is known, but its roles do not allow the request. */
  forbidden: "forbidden",
  /** 404: the resource, or the project it is in, does not exist. */
  notFound: "not-found",
  /** 405: the resource does not support the method. */
  methodNotAllowed: "method-not-allowed",
  /** 409: the change would duplicate what must be unique. */
  conflict: "conflict",
  /** 400: the request names an unknown or unmodifiable field, or a value that is not allowed. */
  invalidRequest: "invalid-request",
  /** 400 with an errorCode that says the service itself refuses the change in the present state. */
  refused: "refused",
  /** 429: over the limit of requests. */
  rateLimited: "rate-limited",
  /** 5xx: the service failed. */
  server: "server",
  /** The answer is not what the service's document promises. */
  malformed: "malformed-answer",
  /** No answer: the name, the connection or TLS failed. */
  transport: "transport",
  /** No answer in time. */
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

/** Base of all errors that this client throws. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  readonly code: ErrorCode;
  readonly request: FailedRequest;

  constructor(code: ErrorCode, request: FailedRequest, message: string, options?: ErrorOptions) {
    super(`${request.method} ${request.path}: ${message}`, options);
    this.code = code;
    this.request = request;
  }
}

/** The service's own account of a failure (service document 7.2); what it left out is undefined. */
export interface ErrorBody {
  readonly detail?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly parameters: readonly unknown[];
}

/** The service answered, and the answer is a failure. */
export class ResponseError extends ApiError {
  override readonly name = "ResponseError";
  /** HTTP status. */
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly detail: string | undefined;
  readonly parameters: readonly unknown[];

  constructor(request: FailedRequest, status: number, body: ErrorBody, advice: string) {
    const named = body.errorCode === undefined ? `${status}` : `${status} ${body.errorCode}`;
    const said = body.detail === undefined ? "" : `, "${shorten(body.detail)}"`;
    super(codeOf(status, body), request, `the service answered ${named}${said}. ${advice}`);
    this.status = status;
    this.errorCode = body.errorCode;
    this.detail = body.detail;
    this.parameters = body.parameters;
  }
}

/** There is no answer, or none that can be understood. */
export class NoAnswerError extends ApiError {
  override readonly name = "NoAnswerError";
}

const longestDetail = 500;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > longestDetail ? `${line.slice(0, longestDetail)}…` : line;
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
      return errorCodes.conflict;
    case 429:
      return errorCodes.rateLimited;
    default:
      if (status >= 500) return errorCodes.server;
      return errorCode?.startsWith("CANNOT_") ? errorCodes.refused : errorCodes.invalidRequest;
  }
}

/** The document has no errorCode for this refusal; services of this kind name the list in it. */
export function isAccessListRefusal(errorCode: string | undefined): boolean {
  return errorCode !== undefined && /ACCESS_LIST|WHITELIST/.test(errorCode);
}
