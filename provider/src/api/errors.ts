/**
 * What can go wrong between this client and the service, as one small hierarchy:
 * {@link ApiError}, and below it {@link ResponseError} (an answer that is a failure) and
 * {@link NoAnswerError} (no answer, or none that can be understood).
 *
 * Every message says what was asked, what came of it and what to do next. None carries a credential:
 * a request is described by its method and path.
 */

/** What went wrong, for programs. The text for people is the error's message. */
export const errorCodes = {
  /** 401: the credentials are absent, wrong, or not allowed to reach the resource. */
  authentication: "authentication",
  /** 401 or 403: the service says that the API access list refuses this machine's address. */
  accessList: "access-list",
  /** 403: the principal is known, but its roles do not allow the request. */
  forbidden: "forbidden",
  /** 404: the resource, or the project it is in, does not exist. */
  notFound: "not-found",
  /** 405: the resource does not support the method. */
  methodNotAllowed: "method-not-allowed",
  /** 409: the change would duplicate what must be unique. */
  conflict: "conflict",
  /** 400 and other 4xx: an unknown or unmodifiable field, or a value that is not allowed. */
  invalidField: "invalid-field",
  /** 400 with an errorCode `CANNOT_...`: the service refuses the change in the present state. */
  refused: "refused",
  /** 429: over the limit of requests, for longer than the call could wait. */
  rateLimited: "rate-limited",
  /** 5xx: the service failed, also when asked again. */
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
  readonly method: string;
  /** Path and query; never credentials. */
  readonly path: string;
  /** How often the request was sent. */
  readonly attempts: number;

  constructor(code: ErrorCode, request: FailedRequest, message: string, options?: ErrorOptions) {
    const { method, path, attempts } = request;
    const tries = attempts > 1 ? ` (${attempts} times)` : "";
    super(`${method} ${path}${tries}: ${message}`, options);
    this.code = code;
    this.method = method;
    this.path = path;
    this.attempts = attempts;
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
  /** How long the service asks to wait before the next request, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    request: FailedRequest,
    answer: { readonly status: number; readonly retryAfterSeconds?: number | undefined },
    body: ErrorBody,
    advice: string,
  ) {
    const { status } = answer;
    const named = body.errorCode === undefined ? `${status}` : `${status} ${body.errorCode}`;
    const said = body.detail === undefined ? "" : `, "${shorten(body.detail)}"`;
    super(codeOf(status, body), request, `the service answered ${named}${said}. ${advice}`);
    this.status = status;
    this.errorCode = body.errorCode;
    this.detail = body.detail;
    this.parameters = body.parameters;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }
}

/** There is no answer, or none that can be understood. */
export class NoAnswerError extends ApiError {
  override readonly name = "NoAnswerError";
}

/** The service presents a certificate that is not trusted: another try cannot help. */
export class UntrustedCertificateError extends NoAnswerError {}

/** True for a failure that may be over when the request is sent again. */
export function isTransient(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error instanceof UntrustedCertificateError) return false;
  const passing: readonly ErrorCode[] = [
    errorCodes.server,
    errorCodes.timeout,
    errorCodes.transport,
  ];
  return passing.includes(error.code);
}

/** The document has no errorCode for this refusal; services of this kind name the list in it. */
export function isAccessListRefusal(errorCode: string | undefined): boolean {
  return errorCode !== undefined && /ACCESS_LIST|WHITELIST/.test(errorCode);
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
      // A redirect, or a success that should not be one: this is not the service's API.
      if (status < 400) return errorCodes.malformed;
      return errorCode?.startsWith("CANNOT_") ? errorCodes.refused : errorCodes.invalidField;
  }
}
