/**
 * Reads the body of an error (service document 7.2) from a service or a proxy. The result is safe to
 * print: credentials are redacted, control characters are escaped and sizes are limited.
 */
import { escapeText } from "./text";
import { parseJson } from "./json";
import type { Redact } from "./redact";

/** The service's description of a failure (service document 7.2). Missing fields are undefined. */
export interface ErrorBody {
  /** A human-readable description of at most 500 characters. */
  readonly detail?: string | undefined;
  /** A code such as `GROUP_NOT_FOUND`; at most 100 characters. */
  readonly errorCode?: string | undefined;
  /** The values that the detail is about, at most 20. Empty if there are none. */
  readonly parameters: readonly unknown[];
  /** A description of the body if it is too large or too complex to read. */
  readonly unread?: string | undefined;
}

/** The maximum size. Normal error bodies are a few hundred bytes long. */
const maxBytes = 64 * 1024;

const maxDetail = 500;
const maxErrorCode = 100;
/** How many items of a list or members of an object are kept. */
const maxParameters = 20;
/** How many levels of arrays and objects are kept. */
const maxParameterDepth = 3;
const maxParameterText = 200;
const maxFields = 5;

/**
 * Reads an error body: the documented fields, the `badRequestDetail` of newer errors, the `message` of
 * those with `"status": "ERROR"` and the `error_description` of a refused token request (RFC 6749 5.2).
 *
 * @param body the body as received
 * @param redact redacts the credentials of the request
 * @returns the fields of the body; without a detail and an error code if it is not a JSON object
 * @example readErrorBody('{"errorCode": "GROUP_NOT_FOUND", "error": 404}', redact)
 * // { errorCode: "GROUP_NOT_FOUND", detail: undefined, parameters: [] }
 */
export function readErrorBody(body: string, redact: Redact): ErrorBody {
  const bytes = Buffer.byteLength(body);
  if (bytes > maxBytes) {
    return { parameters: [], unread: `a body of ${Math.ceil(bytes / 1024)} KB` };
  }
  const json = parseJson(body);
  if (json.kind === "outOfBounds") return { parameters: [], unread: `a body that ${json.problem}` };
  const value = json.kind === "json" ? withoutEnvelope(json.value) : undefined;
  if (!isRecord(value)) return { parameters: [] };
  const { errorCode, parameters } = value;
  const detail = detailOf(value);
  return {
    detail: detail === "" ? undefined : escapeText(redact(detail), maxDetail),
    errorCode: isText(errorCode) ? escapeText(redact(errorCode), maxErrorCode) : undefined,
    parameters: Array.isArray(parameters) ? boundedItems(parameters, redact, 1) : [],
  };
}

/**
 * Returns the entity in an envelope (service document 4.4): an object with a numeric `status` and
 * the entity in a second field, `content` or `envelope`.
 *
 * @param json a parsed body
 * @returns the entity; the value itself if it is not an envelope
 * @example withoutEnvelope({ status: 200, content: { enabled: true } }) // { enabled: true }
 */
export function withoutEnvelope(json: unknown): unknown {
  if (!isRecord(json) || typeof json["status"] !== "number") return json;
  if ("content" in json) return json["content"];
  return "envelope" in json ? json["envelope"] : json;
}

function detailOf(body: Record<string, unknown>): string {
  const { detail, message, badRequestDetail, error_description } = body;
  const text = [detail, message, error_description].find(isText);
  const fields = isRecord(badRequestDetail) ? badRequestDetail["fields"] : undefined;
  const fieldProblems = (Array.isArray(fields) ? fields : [])
    .slice(0, maxFields)
    .flatMap((each: unknown) => {
      if (!isRecord(each)) return [];
      const { field, description } = each;
      return isText(field) && isText(description) ? [`${field}: ${description}`] : [];
    });
  return [...(text === undefined ? [] : [text.trim()]), ...fieldProblems].join("; ");
}

/** Returns a copy of a value with limited depth, length and text. */
function bounded(value: unknown, redact: Redact, depth: number): unknown {
  if (typeof value === "string") return escapeText(redact(value), maxParameterText);
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxParameterDepth) return "…";
  if (Array.isArray(value)) return boundedItems(value, redact, depth);
  const members = Object.entries(value).slice(0, maxParameters);
  return Object.fromEntries(
    members.map(([name, member]) => [
      escapeText(redact(name), maxParameterText),
      bounded(member, redact, depth + 1),
    ]),
  );
}

function boundedItems(items: readonly unknown[], redact: Redact, depth: number): unknown[] {
  return items.slice(0, maxParameters).map((item) => bounded(item, redact, depth + 1));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
