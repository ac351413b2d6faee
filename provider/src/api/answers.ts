/** Reads responses: returns the value on success, and throws an error that says what to do otherwise. */
import type * as z from "./zod";
import { adviceFor, isAccessListRefusal } from "./advice";
import { readErrorBody, withoutEnvelope } from "./errorBody";
import { type FailedRequest, NoAnswerError, ResponseError, errorCodes } from "./errors";
import { parseJson } from "./json";
import { problemsOf } from "./problems";
import type { Redact } from "./redact";
import { retryAfterSeconds } from "./retryAfter";
import type { ServiceRequest, ServiceResponse } from "./transport";

/**
 * Returns the value of a successful response, without its envelope (service document 4.4).
 *
 * @param request the request
 * @param response its response, with any status
 * @param schema the schema of the value
 * @returns the value
 * @throws ResponseError if the status is not 2xx
 * @throws NoAnswerError with code `malformed-answer` if the body does not match the schema or its JSON
 * is out of bounds; with code `transport` if the body was truncated
 */
export function readAnswer<T>(
  request: ServiceRequest,
  response: ServiceResponse,
  schema: z.ZodMiniType<T>,
): T {
  const { status, body } = response;
  if (status < 200 || status > 299) throw failure(request, response);
  const json = parseJson(body);
  if (json.kind === "outOfBounds") throw malformed(request, response, `it ${json.problem}`);
  if (json.kind === "notJson") throw notJson(request, response);
  const parsed = schema.safeParse(withoutEnvelope(json.value));
  if (!parsed.success) {
    throw malformed(request, response, problemsOf(parsed.error, response.redact));
  }
  return parsed.data;
}

/**
 * Creates the error for a failed response.
 *
 * @param request the request
 * @param response a response whose status is not 2xx
 * @param advice replaces the usual advice, except about an API access list. Default: depends on the
 * status and error code
 * @returns the error to throw
 */
export function failure(
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
  const usual = adviceFor({ status, errorCode, location });
  return new ResponseError(
    failed(request, redact),
    { status, retryAfterSeconds: retryAfterSeconds(headers) },
    body,
    isAccessListRefusal(errorCode) ? usual : (advice ?? usual),
  );
}

/** A body that starts like JSON was truncated; anything else came from another server. */
function notJson(request: ServiceRequest, response: ServiceResponse): NoAnswerError {
  const { body } = response;
  if (/^\s*[{[]/.test(body)) {
    const message = `the response was truncated after ${Buffer.byteLength(body)} bytes. Try again.`;
    return new NoAnswerError(errorCodes.transport, failed(request, redactOf(response)), message);
  }
  const looks = body.trim() === "" ? "empty" : /^\s*</.test(body) ? "HTML" : "other text";
  return malformed(request, response, `it is not JSON (${looks})`);
}

function malformed(request: ServiceRequest, response: ServiceResponse, problem: string) {
  return new NoAnswerError(
    errorCodes.malformed,
    failed(request, redactOf(response)),
    `the response is not what the service documents: ${problem}. Check that baseUrl, apiPath and mediaType are those of the service.`,
  );
}

function failed({ method, path, attempt }: ServiceRequest, redact: Redact): FailedRequest {
  return { method, path: redact(path), attempts: attempt };
}

function redactOf({ redact = (text) => text }: ServiceResponse): Redact {
  return redact;
}
