/** Reads the service's answers: the value on success, an error that says what to do otherwise. */
import type { z } from "zod";
import {
  type ErrorBody,
  NoAnswerError,
  ResponseError,
  errorCodes,
  isAccessListRefusal,
} from "./errors";
import { errorBody, problemsOf } from "./schemas";
import type { ServiceRequest, ServiceResponse } from "./transport";

/** The value of a successful answer. Throws {@link ResponseError}, or {@link NoAnswerError} with code `malformed-answer`. */
export function readAnswer<T>(
  request: ServiceRequest,
  response: ServiceResponse,
  schema: z.ZodType<T>,
): T {
  const { status, body } = response;
  if (status < 200 || status > 299) throw failure(request, response);
  const json = parseJson(body);
  if (json === undefined) throw malformed(request, `it is not JSON (${describe(body)})`);
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw malformed(request, problemsOf(parsed.error));
  return parsed.data;
}

function failure(request: ServiceRequest, { status, headers, body }: ServiceResponse) {
  const parsed = errorBody.safeParse(parseJson(body));
  const account: ErrorBody = parsed.success ? parsed.data : { parameters: [] };
  const redirect = status >= 300 && status < 400 ? headers["location"]?.[0] : undefined;
  return new ResponseError(failed(request), status, account, adviceFor(status, account, redirect));
}

function adviceFor(status: number, { errorCode }: ErrorBody, redirect: string | undefined): string {
  if (isAccessListRefusal(errorCode)) {
    return "Add this machine's address to the API access list of the key or service account.";
  }
  switch (status) {
    case 400:
      return "The service refuses the request as it stands.";
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
      return "The limit of requests per minute for this project is used up: try again in a minute.";
  }
  if (status >= 500) return "The service failed: try again later.";
  if (redirect !== undefined) {
    return "It is a redirect, which is not followed: set baseUrl to the service's own address.";
  }
  return "Check that baseUrl and apiPath are those of the service.";
}

function malformed(request: ServiceRequest, problem: string) {
  return new NoAnswerError(
    errorCodes.malformed,
    failed(request),
    `the answer is not what the service documents: ${problem}. Check that baseUrl, apiPath and mediaType are those of the service.`,
  );
}

function failed({ method, path, attempt }: ServiceRequest) {
  return { method, path, attempts: attempt };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a text looks like, without repeating it. */
function describe(body: string): string {
  if (body.trim() === "") return "empty";
  if (/^\s*</.test(body)) return "HTML";
  return `${Buffer.byteLength(body)} bytes, perhaps cut off`;
}
