/**
 * Reads responses: returns the value after a success; otherwise throws an error that says what to do.
 *
 * A malicious response, or one from another server, must not take minutes or gigabytes, so the shape of its
 * JSON is checked before it is parsed. Errors are safe to print: they quote only the fields of the service's error
 * JSON and the origin of a redirect, without credentials, escaped and truncated.
 */
import type * as z from "../messages/zod";
import {
  type ErrorBody,
  NoResponseError,
  ResponseError,
  adviceFor,
  failedRequest,
  isAccessListRefusal,
} from "./errors";
import type { ServiceRequest, ServiceResponse } from "./exchange";
import { type Redact, redactNothing } from "./redact";
import { retryAfterSeconds } from "./retry";
import { escapeText, problemsOf } from "../messages/text";

/**
 * Returns the value of a successful response, without its envelope (service document 4.4). Throws a
 * ResponseError if the status, or the one in the envelope, does not mean success or the body is that of an error,
 * and a NoResponseError if the body contradicts itself or does not match the schema.
 */
export function readResponse<T>(
  request: ServiceRequest,
  response: ServiceResponse,
  schema: z.ZodMiniType<T>,
): T {
  if (!successes.includes(response.status)) throw responseError(request, response);
  const json = parseJson(response.body);
  if (json.kind === "outOfBounds") throw malformedError(request, `it ${json.problem}`);
  if (json.kind === "notJson") throw notJsonError(request, response.body);
  const entity = withoutEnvelope(json.value);
  const inner = [json.value, entity].flatMap((each) => innerStatus(each) ?? []);
  const failure = inner.find((status) => !successes.includes(status));
  if (failure !== undefined || (isRecord(entity) && isText(entity["errorCode"]))) {
    throw responseError(request, { ...response, status: failure ?? response.status });
  }
  const other = inner.find((status) => status !== response.status);
  if (other !== undefined) {
    const problem = `it has the status ${other}, but that of the response is ${response.status}`;
    throw malformedError(request, problem);
  }
  if (isAmbiguous(json.value) || isAmbiguous(entity)) {
    const problem = "it has an envelope with other fields than status and the entity";
    throw malformedError(request, problem);
  }
  const parsed = schema.safeParse(entity);
  if (parsed.success) return parsed.data;
  throw malformedError(request, problemsOf(parsed.error));
}

/**
 * The statuses that mean success (service document 7.1). After a 202, the service may still refuse, and the body of any
 * other, such as 206, may be partial.
 */
const successes: readonly number[] = [200, 201];

/** Returns the status in an envelope or in the wrapper of a list (service document 4.4), if there is one. */
function innerStatus(json: unknown): number | undefined {
  if (typeof json !== "object" || json === null || !("status" in json)) return undefined;
  const { status } = json;
  if (typeof status === "number") return status;
  return typeof status === "string" && /^\d+$/.test(status) ? Number(status) : undefined;
}

const envelopeFields = ["content", "envelope"] as const;

/** Returns whether a value looks like an envelope but has other fields too, which would be ignored. */
function isAmbiguous(value: unknown): boolean {
  if (!isRecord(value) || !envelopeFields.some((field) => field in value)) return false;
  return Object.keys(value).length !== 2 || !("status" in value);
}

/**
 * Creates the error for a failed response. Advice replaces the default advice, except about an API access list.
 */
export function responseError(
  request: ServiceRequest,
  response: ServiceResponse,
  advice?: string,
): ResponseError {
  const { status, headers } = response;
  const redact = response.redact ?? redactNothing;
  const body = readErrorBody(response.body, redact);
  const { errorCode } = body;
  const target = headers["location"]?.[0];
  const location = target === undefined ? undefined : redact(target);
  const wait = retryAfterSeconds(response);
  const defaultAdvice = adviceFor({ status, errorCode, location, retryAfterSeconds: wait });
  return new ResponseError(
    failedRequest(request),
    { status, retryAfterSeconds: wait },
    body,
    isAccessListRefusal(errorCode) ? defaultAdvice : (advice ?? defaultAdvice),
  );
}

/**
 * Creates the error for a body that is not JSON. A body that starts like JSON was truncated; anything
 * else came from another server.
 */
function notJsonError(request: ServiceRequest, body: string): NoResponseError {
  if (/^\s*[{[]/.test(body)) {
    const message = `the response was truncated after ${Buffer.byteLength(body)} bytes. Try again.`;
    return new NoResponseError("connection", failedRequest(request), message);
  }
  const content = body.trim() === "" ? "empty" : /^\s*</.test(body) ? "HTML" : "other text";
  return malformedError(request, `it is not JSON (${content})`);
}

function malformedError(request: ServiceRequest, problem: string) {
  // Only a token is requested with POST.
  const settings =
    request.method === "POST" ? "baseUrl and tokenPath" : "baseUrl, apiPath and mediaType";
  return new NoResponseError(
    "malformed-response",
    failedRequest(request),
    `the response does not match the service's documentation: ${problem}. Check that ${settings} are those of the service.`,
  );
}

/** The maximum size. Normal error bodies are a few hundred bytes long. */
const maxBytes = 64 * 1024;

/**
 * Reads an error body: the documented fields, the `badRequestDetail` of newer errors, the `message` of
 * those with `"status": "ERROR"` and the `error_description` of a refused token request (RFC 6749 5.2).
 */
function readErrorBody(body: string, redact: Redact): ErrorBody {
  const bytes = Buffer.byteLength(body);
  if (bytes > maxBytes) return { unread: `a body of ${Math.ceil(bytes / 1024)} KB` };
  const json = parseJson(body);
  if (json.kind === "outOfBounds") return { unread: `a body that ${json.problem}` };
  const value = json.kind === "json" ? withoutEnvelope(json.value) : undefined;
  if (!isRecord(value)) return {};
  const { errorCode } = value;
  const detail = detailOf(value);
  return {
    detail: detail === "" ? undefined : escapeText(redact(detail)),
    errorCode: isText(errorCode) ? escapeText(redact(errorCode), 100) : undefined,
  };
}

/**
 * Returns the entity in an envelope (service document 4.4), an object with a numeric `status` and the
 * entity in a second field, `content` or `envelope`. Returns any other value unchanged.
 */
function withoutEnvelope(json: unknown): unknown {
  if (!isRecord(json) || typeof json["status"] !== "number") return json;
  const field = envelopeFields.find((each) => each in json);
  return field === undefined ? json : json[field];
}

function detailOf(body: Record<string, unknown>): string {
  const { detail, message, badRequestDetail, error_description } = body;
  const text = [detail, message, error_description].find(isText);
  const fields = isRecord(badRequestDetail) ? badRequestDetail["fields"] : undefined;
  const fieldProblems = (Array.isArray(fields) ? fields : [])
    .slice(0, 5)
    .flatMap((each: unknown) => {
      if (!isRecord(each)) return [];
      const { field, description } = each;
      return isText(field) && isText(description) ? [`${field}: ${description}`] : [];
    });
  return [...(text === undefined ? [] : [text.trim()]), ...fieldProblems].join("; ");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** The maximum size of an array or object. A page contains at most 500 records. */
const maxItems = 10_000;

/** How deep arrays and objects may be nested. A cluster needs six levels. */
const maxNesting = 64;

/** The maximum number of values in a response. A page of 500 clusters contains about 30,000. */
const maxValues = 1_000_000;

type ParsedJson =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "notJson" }
  /** The text was not parsed; `problem` says why, such as "is nested deeper than 64 levels". */
  | { readonly kind: "outOfBounds"; readonly problem: string };

/** Parses JSON unless its shape exceeds the limits. Never throws, takes linear time and does not recurse. */
export function parseJson(text: string): ParsedJson {
  const problem = shapeProblem(text);
  if (problem !== undefined) return { kind: "outOfBounds", problem };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    return { kind: "notJson" };
  }
}

/**
 * Returns which of the limits a JSON text exceeds, or that an object has two members with one name, of which
 * JSON.parse would ignore the first; undefined if there is no such problem.
 */
function shapeProblem(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  /** The arrays and objects around the current position. Only objects have names. */
  const open: { commas: number; readonly names: Set<string> | undefined }[] = [];
  let values = 0;
  /** Follows the name of a member. */
  const colon = /\s*:/y;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') {
      const end = endOfString(text, index);
      const names = open.at(-1)?.names;
      colon.lastIndex = end + 1;
      if (names !== undefined && colon.test(text)) {
        const name = nameIn(text.slice(index, end + 1));
        if (names.has(name)) return "contains a name twice in one object";
        names.add(name);
      }
      index = end;
    } else if (character === "[" || character === "{") {
      values += 1;
      if (open.length >= maxNesting) return `is nested deeper than ${maxNesting} levels`;
      open.push({ commas: 0, names: character === "{" ? new Set() : undefined });
    } else if (character === "]" || character === "}") {
      open.pop();
    } else if (character === ",") {
      values += 1;
      const container = open.at(-1);
      if (container !== undefined) container.commas += 1;
      if ((container?.commas ?? 0) >= maxItems)
        return `contains a list of more than ${maxItems} items`;
      if (values > maxValues) return `contains more than ${maxValues} values`;
    }
  }
  return undefined;
}

/** Returns a name without its quotes and escapes. */
function nameIn(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

/** Returns the index of the quote that ends the string, or the length of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === "\\") first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
