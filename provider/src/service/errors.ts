/**
 * The errors of requests to the service: {@link ApiError}, with the subclasses {@link ResponseError}
 * (the service responded with a failure) and {@link UnusableResponseError} (there is no response, or it cannot
 * be understood).
 *
 * Every message says what was requested, what happened and what to do next. No message contains
 * credentials: a request is described by its method and path.
 */
import type { Code } from "../messages/codes";
import { UserError } from "../messages/errors";
import { escapeText } from "../messages/text";

/** What to do about a response, by its code. */
const adviceByCode = {
  "access-list":
    "Add this machine's address to the API access list of the API key or service account.",
  authentication: "Check the credentials, their roles and their access list.",
  forbidden:
    "Check the roles of the API key or service account on this project, and that its API access list contains this machine's address.",
  "not-found": "Check the project ID, clouddb:profile, clouddb:baseUrl and clouddb:apiPath.",
  "method-not-allowed": "The service does not offer this operation. Check clouddb:apiPath.",
  "media-type":
    "The service does not support the media type or version of the request. Set clouddb:mediaType to one that it supports. If it refuses only changes, set clouddb:profile to v2.",
  conflict: "The request conflicts with the current state of the resource.",
  "service-refused": "The service refuses this in the current state of the resource.",
  "rate-limited": "Retry later, or lower clouddb:requestsPerMinute.",
  "invalid-field": "The service rejected the request as invalid.",
  "server-error": "The error is on the service's side. Try again later.",
  "malformed-response": "Check clouddb:baseUrl and clouddb:apiPath.",
} satisfies Partial<Record<Code, string>>;

/** The code of an error. docs/reference/errors.md explains each. */
export type ErrorCode =
  | keyof typeof adviceByCode
  | Extract<Code, "connection" | "certificate" | "timeout" | "cancelled">;

const any = /(?:)/;

/** The code for a status (service document 7.1) and an error code. The first entry that matches applies. */
const codesByResponse: readonly [
  status: RegExp,
  errorCode: RegExp,
  code: keyof typeof adviceByCode,
][] = [
  // The service document has no error code for an access list; services of this kind use one that names the list.
  [/40[13]/, /ACCESS_LIST|WHITELIST/, "access-list"],
  [/401/, any, "authentication"],
  [/403/, any, "forbidden"],
  [/404/, any, "not-found"],
  [/405/, any, "method-not-allowed"],
  [/406|410|415/, any, "media-type"],
  [/400/, /VERSION_DATE|VERSION_GONE|ASYMMETRIC_SHARD/, "media-type"],
  [/409/, /^(?:CONFLICT)?$/, "conflict"],
  // Most error codes of a 409 are about a state, such as CANNOT_UPDATE_PAUSED_CLUSTER.
  [/409/, any, "service-refused"],
  [/429/, any, "rate-limited"],
  [/4../, /^CANNOT_/, "service-refused"],
  [/4../, any, "invalid-field"],
  [/5../, any, "server-error"],
  // A redirect or an unexpected success: this is not the service's API.
  [any, any, "malformed-response"],
];

function codeOf(status: number, errorCode = ""): keyof typeof adviceByCode {
  const found = codesByResponse.find(
    ([statuses, errorCodes]) => statuses.test(String(status)) && errorCodes.test(errorCode),
  );
  return found?.[2] ?? "malformed-response";
}

/** The service's description of a failure (service document 7.2). Missing fields are undefined. */
export interface ErrorBody {
  /** A human-readable description of at most 500 characters. */
  readonly detail?: string | undefined;
  /** A code such as `GROUP_NOT_FOUND`; at most 100 characters. */
  readonly errorCode?: string | undefined;
}

export interface FailedRequest {
  readonly method: string;
  readonly path: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
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

  /** External text in the problem must be escaped, and must not contain credentials. */
  constructor(code: ErrorCode, request: FailedRequest, problem: string, options?: ErrorOptions) {
    const { method, attempt: attempts } = request;
    const path = escapeText(request.path.replace(/\?.*$/s, ""), maxPathLength);
    const attemptCount = attempts > 1 ? `, ${attempts} attempts` : "";
    super(`${problem} (${method} ${path}${attemptCount})`, options);
    this.code = code;
    this.method = method;
    this.path = path;
    this.attempts = attempts;
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
    const detail = body.detail === undefined ? "" : `: "${body.detail}"`;
    // The detail may end with a period of its own.
    const end = /[.!?]"$/.test(detail) ? "" : ".";
    super(
      codeOf(status, body.errorCode),
      request,
      `the service responded with ${code}${detail}${end} ${advice}`,
    );
    this.status = status;
    this.errorCode = body.errorCode;
    this.detail = body.detail;
    this.retryAfterSeconds = response.retryAfterSeconds;
  }

  /** Whether the response has an error code of the service (service document 7.2). No proxy or gateway sends one. */
  get isFromService(): boolean {
    return this.errorCode !== undefined;
  }
}

/** There is no response, or it cannot be understood. */
export class UnusableResponseError extends ApiError {
  override readonly name = "UnusableResponseError";
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

interface FailedResponse extends Pick<ErrorBody, "errorCode">, Pick<FailedRequest, "path"> {
  readonly status: number;
  /** The `Location` header, with credentials redacted; empty if there is none. */
  readonly location: string;
  /** What the body is instead of JSON, and what to check then; undefined for JSON and an empty body. */
  readonly foreign?: { readonly content: string; readonly settings: string } | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * Returns what to do about a failed response. `advice` replaces the default advice, except about an API access list,
 * which only the service knows, and if something else may have answered.
 */
export function adviceFor(
  { path, status, errorCode, location, foreign, retryAfterSeconds }: FailedResponse,
  advice?: string,
): string {
  const code = codeOf(status, errorCode);
  if (foreign !== undefined && status >= 400) {
    const remedy =
      status >= 500
        ? "Try again later."
        : `Check ${foreign.settings}, and HTTPS_PROXY and NO_PROXY.`;
    return `The response is ${foreign.content} instead of the service's JSON, so a proxy, a gateway or another server may have sent it. ${remedy}`;
  }
  if (advice !== undefined && code !== "access-list") return advice;
  if (status === 429 && retryAfterSeconds !== undefined) {
    return `Retry in ${retryAfterSeconds} s, or lower clouddb:requestsPerMinute.`;
  }
  if (status >= 300 && status < 400 && location !== "") {
    return `The response is a redirect${targetOf(location)}, which is not followed. Set clouddb:baseUrl to the service's own address.`;
  }
  if (status === 202) return "The service accepted the request and may apply it later.";
  // Only lists have parameters, and a service may reject one that it does not know.
  if (code === "invalid-field" && path.includes("?")) {
    return `${adviceByCode[code]} Check clouddb:pageParameter, clouddb:pageSizeParameter and clouddb:countParameter.`;
  }
  return adviceByCode[code];
}

/** Returns only the origin of the target, because its path or query may contain sensitive data. */
function targetOf(location: string): string {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:"
    ? ` to ${escapeText(url.origin, 100)}`
    : "";
}

/** Returns whether the error code of a 404 says that the project does not exist (docs/reference/service-differences.md). */
export function isMissingProject(errorCode: string): boolean {
  return /^(?:GROUP|PROJECT)_NOT_FOUND$/.test(errorCode);
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
