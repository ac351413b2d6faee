/**
 * The errors of requests to the service: {@link ApiError}, with the subclasses {@link ResponseError}
 * (the service responded with a failure) and {@link NoResponseError} (there is no response, or it cannot
 * be understood).
 *
 * Every message says what was requested, what happened and what to do next. No message contains
 * credentials: a request is described by its method and path.
 */
import type { Code } from "../messages/codes";
import { UserError } from "../messages/errors";
import { escapeText } from "../messages/text";
import type { ServiceRequest } from "./exchange";

/** The code of an error, by HTTP status (service document 7.1) or by the failure. */
export type ErrorCode = Extract<
  Code,
  /** 401: the credentials are missing, wrong, or not valid for the resource. */
  | "authentication"
  /** 401 or 403: the service says that the API access list refuses this machine's address. */
  | "access-list"
  /** 403: the principal is known, but its roles do not allow the request. */
  | "forbidden"
  /** 404: the resource, or the project it is in, does not exist. */
  | "not-found"
  /** 405: the resource does not support the method. */
  | "method-not-allowed"
  /** 409: the change would duplicate a unique value, or the service gives no reason. */
  | "conflict"
  /** 400 and other 4xx: an unknown or unmodifiable field, or a value that is not allowed. */
  | "invalid-field"
  /** 406, 410 or 415: the service does not serve this version of the resource. */
  | "media-type"
  /** 400 with an errorCode `CANNOT_...`, or 409 with one about a state: refused in the current state. */
  | "service-refused"
  /** 429: the rate limit was exceeded for longer than the call could wait. */
  | "rate-limited"
  /** 5xx: the service failed, even after retries. */
  | "server-error"
  /** The response does not match the service document. */
  | "malformed-response"
  /** No response: name resolution, the connection or TLS failed. */
  | "connection"
  /** No response: the service's certificate is not trusted. */
  | "certificate"
  /** No response in time. */
  | "timeout"
  /** The user cancelled the update. */
  | "cancelled"
>;

/** The service's description of a failure (service document 7.2). Missing fields are undefined. */
export interface ErrorBody {
  /** A human-readable description of at most 500 characters. */
  readonly detail?: string | undefined;
  /** A code such as `GROUP_NOT_FOUND`; at most 100 characters. */
  readonly errorCode?: string | undefined;
  /** A description of the body if it is too large or too complex to read. */
  readonly unread?: string | undefined;
}

export interface FailedRequest {
  readonly method: string;
  readonly path: string;
  readonly attempts: number;
}

export function failedRequest({ method, path, attempt }: ServiceRequest): FailedRequest {
  return { method, path, attempts: attempt };
}

/** The maximum length of a path in a message. Only those with unusual project IDs are longer. */
const maxPathLength = 300;

/** Base of all errors that this client throws. */
export class ApiError extends UserError {
  override readonly name: string = "ApiError";
  readonly code: ErrorCode;
  readonly method: string;
  /** The path, safe to print, without its query: that of a link of the service may contain credentials. */
  readonly path: string;
  readonly attempts: number;
  /** The message without the request. */
  readonly problem: string;

  /** External text in the problem must be escaped, and must not contain credentials. */
  constructor(
    code: ErrorCode,
    request: FailedRequest,
    problem: string,
    {
      isAboutRequest = true,
      ...options
    }: ErrorOptions & { readonly isAboutRequest?: boolean } = {},
  ) {
    const { method, attempts } = request;
    const path = escapeText(request.path.replace(/\?.*$/s, ""), maxPathLength);
    const attemptCount = attempts > 1 ? `, ${attempts} attempts` : "";
    super(isAboutRequest ? `${problem} (${method} ${path}${attemptCount})` : problem, options);
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
  readonly status: number;
  /** The service's error code, safe to print. */
  readonly errorCode: string | undefined;
  /** The service's description of the failure, safe to print. */
  readonly detail: string | undefined;
  /** How long the service asks to wait before the next request, in seconds; undefined if unspecified. */
  readonly retryAfterSeconds: number | undefined;

  /** The advice says what to do, in whole sentences. */
  constructor(
    request: FailedRequest,
    response: { readonly status: number; readonly retryAfterSeconds?: number | undefined },
    body: ErrorBody,
    advice: string,
  ) {
    const { status } = response;
    const code = body.errorCode === undefined ? `${status}` : `${status} ${body.errorCode}`;
    const unread = body.unread === undefined ? "" : ` and ${body.unread}`;
    const detail = body.detail === undefined ? unread : `: "${body.detail}"`;
    // The detail may end with a period of its own.
    const end = /[.!?]"$/.test(detail) ? "" : ".";
    // A 401 or 429 is about the principal or its limit, not about the request, so its message stays short.
    const isAboutRequest =
      body.detail === undefined || request.method === "POST" || ![401, 429].includes(status);
    super(
      codeOf(status, body.errorCode),
      request,
      `the service responded with ${code}${detail}${end} ${advice}`,
      { isAboutRequest },
    );
    this.status = status;
    this.errorCode = body.errorCode;
    this.detail = body.detail;
    this.retryAfterSeconds = response.retryAfterSeconds;
  }
}

/** There is no response, or it cannot be understood. */
export class NoResponseError extends ApiError {
  override readonly name = "NoResponseError";
  /** Whether the service may have received the request. */
  readonly wasSent: boolean;

  constructor(
    code: ErrorCode,
    request: FailedRequest,
    problem: string,
    { wasSent = true, ...options }: ErrorOptions & { readonly wasSent?: boolean } = {},
  ) {
    super(code, request, problem, options);
    this.wasSent = wasSent;
  }
}

/** Returns whether a retry may succeed: the service failed, or there was no response. */
export function isTransient(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return error.code === "server-error" || error.code === "timeout" || error.code === "connection";
}

function codeOf(status: number, errorCode: string | undefined): ErrorCode {
  if ((status === 401 || status === 403) && isAccessListRefusal(errorCode)) return "access-list";
  const [code] = meaningOf({ status, errorCode });
  const isMediaType = status === 415 || isVersionRefusal(status, errorCode);
  return code === "invalid-field" && isMediaType ? "media-type" : code;
}

interface Failure extends Pick<ErrorBody, "errorCode"> {
  readonly status: number;
  /** The `Location` header, with credentials redacted. */
  readonly location?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

export function adviceFor(failure: Failure): string {
  if (isAccessListRefusal(failure.errorCode)) {
    return "Add this machine's address to the API access list of the API key or service account.";
  }
  if (isVersionRefusal(failure.status, failure.errorCode)) {
    return "The service does not serve this resource in the requested version. Set mediaType to a version that it supports.";
  }
  return meaningOf(failure)[1];
}

/** Returns the code of a failure, and what to do about it. */
function meaningOf({
  status,
  errorCode = "",
  location,
  retryAfterSeconds,
}: Failure): readonly [ErrorCode, string] {
  switch (status) {
    case 202:
      return ["malformed-response", "The service accepted the request and may apply it later."];
    case 401:
      return ["authentication", "Check the credentials, their roles and their access list."];
    case 403:
      return [
        "forbidden",
        "Check the roles of the API key or service account on this project, and that its API access list contains this machine's address.",
      ];
    case 404:
      return [
        "not-found",
        "Check the project ID, and that baseUrl and apiPath are those of the service.",
      ];
    case 405:
      return ["method-not-allowed", "The service does not offer this operation. Check apiPath."];
    case 409:
      if (errorCode === "" || errorCode === "CONFLICT") {
        return ["conflict", "The request conflicts with the current state of the resource."];
      }
      return isDuplicate(errorCode)
        ? ["conflict", "A resource with this name or value already exists."]
        : ["service-refused", "The service refuses this in the current state of the resource."];
    case 429:
      return [
        "rate-limited",
        `Retry ${retryAfterSeconds === undefined ? "later" : `in ${retryAfterSeconds} s`}, or lower requestsPerMinute.`,
      ];
  }
  if (status >= 500)
    return ["server-error", "The error is on the service's side. Try again later."];
  if (status >= 400) {
    return [
      errorCode.startsWith("CANNOT_") ? "service-refused" : "invalid-field",
      status === 415
        ? "The service does not accept this media type in a request. Set contentType to mediaType, or to a media type that the service supports."
        : "The service rejected the request as invalid.",
    ];
  }
  // A redirect or an unexpected success: this is not the service's API.
  return [
    "malformed-response",
    status >= 300 && location !== undefined
      ? `The response is a redirect${targetOf(location)}, which is not followed. Set baseUrl to the service's own address.`
      : "Check that baseUrl and apiPath are those of the service.",
  ];
}

/** Returns only the origin of the target, because its path or query may contain sensitive data. */
function targetOf(location: string): string {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:"
    ? ` to ${escapeText(url.origin, 100)}`
    : "";
}

/**
 * Returns whether the API access list refused this machine. The service document has no error code for
 * this; services of this kind use one that names the list.
 */
export function isAccessListRefusal(errorCode: string | undefined): boolean {
  return errorCode !== undefined && /ACCESS_LIST|WHITELIST/.test(errorCode);
}

/** Returns whether the error code of a 404 says that the project does not exist (docs/reference/service-differences.md). */
export function isMissingProject(errorCode: string): boolean {
  return /^(?:GROUP|PROJECT)_NOT_FOUND$/.test(errorCode);
}

/**
 * The service document has no GET for the mode (4.5), so services may respond with 404 or 405. The same response to a
 * request for a token, a POST, says nothing about the resource.
 */
export function isMissingOrNotAllowed(error: unknown): error is ResponseError {
  return (
    error instanceof ResponseError &&
    error.method === "GET" &&
    (error.code === "not-found" || error.code === "method-not-allowed")
  );
}

/**
 * Returns whether the API says that it has no such path. A 404 or 405 without an errorCode may be from a proxy or
 * another server, and one about the project says nothing about the path.
 */
export function isMissingPath(error: unknown): boolean {
  if (!isMissingOrNotAllowed(error)) return false;
  const { errorCode } = error;
  return !!errorCode && !isMissingProject(errorCode);
}

/**
 * Returns whether a 409 is about a value that must be unique. Most of its error codes, such as
 * `CANNOT_UPDATE_PAUSED_CLUSTER`, are about the state of the resource instead.
 */
function isDuplicate(errorCode: string): boolean {
  return /DUPLICATE|ALREADY_(?:EXIST|IN_USE|USED|TAKEN|REGISTERED)|_EXISTS$|(?:NOT|NON)_UNIQUE|MUST_BE_UNIQUE|_TAKEN$/.test(
    errorCode,
  );
}

/** Returns whether the resource does not have the version that mediaType requests, or no longer has it. */
export function isVersionRefusal(status: number, errorCode: string | undefined): boolean {
  if (status === 406 || status === 410) return true;
  return errorCode !== undefined && /VERSION_DATE|VERSION_GONE|ASYMMETRIC_SHARD/.test(errorCode);
}
