/**
 * Reads responses. Errors are safe to print: they quote only the fields of the service's error JSON and the origin of a
 * redirect, without credentials, escaped and truncated.
 */
import type * as z from "zod/mini";
import { type Circumstance, pathSetting } from "./failedResponses";
import { ResponseError, UnusableResponseError } from "./requestErrors";
import type { ServiceRequest, ServiceResponse } from "./exchange";
import { redacted, escapeText, problemsOf } from "../messages/text";
import { retryAfterSeconds } from "./retry";
import { isObject, jsonOrUndefined, zodMessages } from "../validation/values";

/** Returns the value of a response. Throws a ResponseError for another status, or an UnusableResponseError. */
export function readResponse<T>(
  request: ServiceRequest,
  response: ServiceResponse,
  schema: z.ZodMiniType<T>,
): T {
  if (!successes.includes(response.status)) throw responseError(request, response);
  const json = jsonOrUndefined(response.body);
  if (json === undefined) throw notJsonError(request, response.body);
  const parsed = schema.safeParse(json, zodMessages);
  if (parsed.success) return parsed.data;
  throw malformedError(request, problemsOf(parsed.error));
}

/**
 * The statuses of a success (service document 7.1). Without 202, after which the service may still refuse, and 206,
 * whose body may be partial.
 */
const successes: readonly number[] = [200, 201];

/** Creates the error for a failed response. */
export function responseError(
  request: ServiceRequest,
  response: ServiceResponse,
  circumstance?: Circumstance,
): ResponseError {
  const { status, headers, secrets = [] } = response;
  const content = contentOf(response.body);
  const ofMethod = request.method === "POST" ? "token" : undefined;
  return new ResponseError(request, {
    ...readErrorBody(response.body, secrets),
    status,
    circumstance:
      content === "HTML" || content === "other text" ? content : (circumstance ?? ofMethod),
    location: redacted(headers["location"]?.[0] ?? "", secrets),
    retryAfterSeconds: retryAfterSeconds(response),
  });
}

/** Creates the error for a body that is not JSON. */
function notJsonError(request: ServiceRequest, body: string): UnusableResponseError {
  const content = contentOf(body);
  if (content === "JSON") {
    const problem = `the response was truncated after ${Buffer.byteLength(body)} bytes. Try again.`;
    return new UnusableResponseError("connection", request, problem);
  }
  return malformedError(request, `it is not JSON (${content})`);
}

/** Returns what a body is. `JSON`: it starts like JSON, but may be truncated. Anything else is from another server. */
function contentOf(body: string): "JSON" | "empty" | "HTML" | "other text" {
  if (/^\s*[{[]/.test(body)) return "JSON";
  return body.trim() === "" ? "empty" : /^\s*</.test(body) ? "HTML" : "other text";
}

/** Creates the error for a body that the schema does not accept. */
function malformedError(request: ServiceRequest, problem: string) {
  const settings =
    request.method === "POST"
      ? `clouddb:baseUrl and ${pathSetting(request)}`
      : `clouddb:baseUrl, ${pathSetting(request)} and clouddb:mediaType`;
  return new UnusableResponseError(
    "malformed-response",
    request,
    `the response does not match the service's documentation: ${problem}. Check ${settings}.`,
  );
}

/** Reads the documented fields, those of newer errors, and the description of a refused token (RFC 6749 5.2). */
function readErrorBody(body: string, secrets: readonly string[]) {
  const value = jsonOrUndefined(body);
  if (!isObject(value)) return {};
  const { errorCode, parameters } = value;
  const detail = detailOf(value);
  return {
    detail: detail === "" ? undefined : escapeText(redacted(detail, secrets)),
    errorCode: isText(errorCode) ? escapeText(redacted(errorCode, secrets), 100) : undefined,
    parameters: Array.isArray(parameters) ? parameters.filter(isText) : [],
  };
}

function detailOf(body: Readonly<Record<string, unknown>>): string {
  const { detail, message, badRequestDetail, error_description } = body;
  const text = [detail, message, error_description].find(isText);
  const fields = isObject(badRequestDetail) ? badRequestDetail["fields"] : undefined;
  const fieldProblems = (Array.isArray(fields) ? fields : [])
    .slice(0, 5)
    .flatMap((problem: unknown) => {
      if (!isObject(problem)) return [];
      const { field, description } = problem;
      return isText(field) && isText(description) ? [`${field}: ${description}`] : [];
    });
  return [...(text === undefined ? [] : [text.trim()]), ...fieldProblems].join("; ");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
