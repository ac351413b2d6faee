/** Reads responses: returns the value after a success; otherwise throws an error that says what to do. */
import type * as z from "./zod";
import { adviceFor, isAccessListRefusal } from "./advice";
import { readErrorBody, withoutEnvelope } from "./errorBody";
import { NoResponseError, ResponseError, errorCodes, failedRequest } from "./errors";
import { parseJson } from "./json";
import { problemsOf } from "./problems";
import { type Redact, redactNothing } from "./redact";
import { retryAfterSeconds } from "./retryAfter";
import type { ServiceRequest, ServiceResponse } from "./exchange";

/**
 * Returns the value of a successful response, without its envelope (service document 4.4).
 *
 * @param request the request
 * @param response its response, with any status
 * @param schema the schema of the value
 * @returns the value
 * @throws ResponseError if the status, or that in the envelope, is not one of a success
 * @throws NoResponseError with code `malformed-response` if the body does not match the schema or its JSON
 * is out of bounds; with code `transport` if the body was truncated
 */
export function readResponse<T>(
  request: ServiceRequest,
  response: ServiceResponse,
  schema: z.ZodMiniType<T>,
): T {
  if (!successes.includes(response.status)) throw responseError(request, response);
  const json = parseJson(response.body);
  if (json.kind === "outOfBounds") throw malformedError(request, response, `it ${json.problem}`);
  if (json.kind === "notJson") throw notJsonError(request, response);
  const inner = innerStatus(json.value);
  if (inner !== undefined && !successes.includes(inner)) {
    throw responseError(request, { ...response, status: inner });
  }
  const parsed = schema.safeParse(withoutEnvelope(json.value));
  if (!parsed.success) {
    throw malformedError(request, response, problemsOf(parsed.error, response.redact));
  }
  return parsed.data;
}

/** The statuses of a success (service document 7.1). The body of any other, such as 206, may be partial. */
const successes: readonly number[] = [200, 201, 202];

/**
 * Returns the status in an envelope or in the wrapper of a list (service document 4.4); undefined if there
 * is none.
 */
function innerStatus(json: unknown): number | undefined {
  if (typeof json !== "object" || json === null || !("status" in json)) return undefined;
  const { status } = json;
  return typeof status === "number" || /^\d+$/.test(String(status)) ? Number(status) : undefined;
}

/**
 * Creates the error for a failed response.
 *
 * @param request the request
 * @param response a response whose status is not one of a success
 * @param advice replaces the default advice, except about an API access list. Default: depends on the
 * status and error code
 * @returns the error to throw
 */
export function responseError(
  request: ServiceRequest,
  response: ServiceResponse,
  advice?: string,
): ResponseError {
  const { status, headers } = response;
  const redact = redactOf(response);
  const body = readErrorBody(response.body, redact);
  const { errorCode } = body;
  const target = headers["location"]?.[0];
  const location = target === undefined ? undefined : redact(target);
  const defaultAdvice = adviceFor({ status, errorCode, location });
  return new ResponseError(
    failedRequest(request, redact),
    { status, retryAfterSeconds: retryAfterSeconds(headers) },
    body,
    isAccessListRefusal(errorCode) ? defaultAdvice : (advice ?? defaultAdvice),
  );
}

/**
 * Creates the error for a body that is not JSON. A body that starts like JSON was truncated; anything
 * else came from another server.
 */
function notJsonError(request: ServiceRequest, response: ServiceResponse): NoResponseError {
  const { body } = response;
  if (/^\s*[{[]/.test(body)) {
    const message = `the response was truncated after ${Buffer.byteLength(body)} bytes. Try again.`;
    return new NoResponseError(
      errorCodes.transport,
      failedRequest(request, redactOf(response)),
      message,
    );
  }
  const content = body.trim() === "" ? "empty" : /^\s*</.test(body) ? "HTML" : "other text";
  return malformedError(request, response, `it is not JSON (${content})`);
}

function malformedError(request: ServiceRequest, response: ServiceResponse, problem: string) {
  return new NoResponseError(
    errorCodes.malformed,
    failedRequest(request, redactOf(response)),
    `the response does not match the service's documentation: ${problem}. Check that baseUrl, apiPath and mediaType are those of the service.`,
  );
}

/** Returns the redactor of a response. Default: one that redacts nothing. */
function redactOf({ redact = redactNothing }: ServiceResponse): Redact {
  return redact;
}
