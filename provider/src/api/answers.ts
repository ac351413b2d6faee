/** Reads the service's answers: the value on success, an error that says what to do otherwise. */
import type * as z from "../zod";
import {
  type ErrorBody,
  type FailedRequest,
  NoAnswerError,
  ResponseError,
  errorCodes,
  isAccessListRefusal,
} from "./errors";
import { problemsOf } from "./problems";
import { errorBody } from "./schemas";
import type { ServiceRequest, ServiceResponse } from "./transport";

/**
 * The value of a successful answer, out of its envelope if it has one (service document 4.4).
 * Throws {@link ResponseError}, or {@link NoAnswerError} with code `malformed-answer`.
 */
export function readAnswer<T>(
  request: ServiceRequest,
  response: ServiceResponse,
  schema: z.ZodMiniType<T>,
): T {
  const { status, body } = response;
  if (status < 200 || status > 299) throw failure(request, response);
  const json = parseJson(body);
  if (json === undefined) throw notJson(request, body);
  const parsed = schema.safeParse(withoutEnvelope(json));
  if (!parsed.success) throw malformed(request, problemsOf(parsed.error));
  return parsed.data;
}

/** The error that a failed answer stands for. `advice` replaces the usual one. */
export function failure(
  request: ServiceRequest,
  { status, headers, body }: ServiceResponse,
  advice?: string,
): ResponseError {
  const parsed = errorBody.safeParse(withoutEnvelope(parseJson(body)));
  const account: ErrorBody = parsed.success ? parsed.data : { parameters: [] };
  const retryAfterSeconds = retryAfter(headers);
  return new ResponseError(
    failed(request),
    { status, retryAfterSeconds },
    account,
    advice ?? adviceFor(status, account),
  );
}

function adviceFor(status: number, { errorCode }: ErrorBody): string {
  if (isAccessListRefusal(errorCode)) {
    return "Add this machine's address to the API access list of the API key or service account.";
  }
  switch (status) {
    case 401:
      return "Check the API key or service account in the settings, that it belongs to the organization of this project, and that its API access list contains this machine's address.";
    case 403:
      return "Check the roles of the API key or service account on this project, and that its API access list contains this machine's address.";
    case 404:
      return "Check the project ID, and that baseUrl and apiPath are those of the service.";
    case 405:
      return "The service does not offer this operation.";
    case 409:
      return "Something of this name exists already.";
    case 429:
      return "The limit of requests per minute for this project is used up, also by others who share the project: try again in a minute, or set requestsPerMinute lower.";
  }
  if (status >= 500) return "The service failed: try again later.";
  if (status >= 400) return "The service does not accept the request as it stands.";
  if (status >= 300) {
    return "It is a redirect, which is not followed: set baseUrl to the service's own address.";
  }
  return "Check that baseUrl and apiPath are those of the service.";
}

/** A text that begins as JSON was cut off on its way; any other is from somewhere else. */
function notJson(request: ServiceRequest, body: string): NoAnswerError {
  if (/^\s*[{[]/.test(body)) {
    const message = `the answer was cut off after ${Buffer.byteLength(body)} bytes. Try again.`;
    return new NoAnswerError(errorCodes.transport, failed(request), message);
  }
  const looks = body.trim() === "" ? "empty" : /^\s*</.test(body) ? "HTML" : "other text";
  return malformed(request, `it is not JSON (${looks})`);
}

function malformed(request: ServiceRequest, problem: string) {
  return new NoAnswerError(
    errorCodes.malformed,
    failed(request),
    `the answer is not what the service documents: ${problem}. Check that baseUrl, apiPath and mediaType are those of the service.`,
  );
}

function failed({ method, path, attempt }: ServiceRequest): FailedRequest {
  return { method, path, attempts: attempt };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An envelope has a `status` and the entity in a second field, by either of two names. */
function withoutEnvelope(json: unknown): unknown {
  if (typeof json !== "object" || json === null || !("status" in json)) return json;
  if (typeof json.status !== "number") return json;
  if ("content" in json) return json.content;
  return "envelope" in json ? json.envelope : json;
}

/** Seconds to wait, by `Retry-After` (seconds or a date), else by `RateLimit-Reset` or `RateLimit`. */
function retryAfter(headers: ServiceResponse["headers"]): number | undefined {
  const value = headers["retry-after"]?.[0];
  if (value !== undefined) {
    const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
    if (!Number.isNaN(seconds)) return atLeastOne(seconds);
  }
  const reset =
    headers["ratelimit-reset"]?.[0] ?? /;\s*t=(\d+)/.exec(headers["ratelimit"]?.[0] ?? "")?.[1];
  return reset !== undefined && /^\d{1,5}$/.test(reset) ? atLeastOne(Number(reset)) : undefined;
}

/** "At once" after a refusal would only be refused again. */
function atLeastOne(seconds: number): number {
  return Math.max(1, Math.ceil(seconds));
}
