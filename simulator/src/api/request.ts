/**
 * Parses query parameters: `pretty` and `envelope` on every request, paging on lists (service document
 * 4.2 and 4.3). Rejects parameters that are unknown, repeated or invalid.
 */
import type { z } from "zod";
import { ServiceError, invalidAttribute } from "../errors";
import { validate } from "../seed/validation";

/** Parsed query parameters with their defaults. */
export interface Query {
  readonly pretty: boolean;
  readonly envelope: boolean;
  readonly pageNum: number;
  readonly itemsPerPage: number;
  readonly includeCount: boolean;
}

/** Query parameters as strings; arrays if repeated. */
export type RawQuery = Readonly<Record<string, string | string[]>>;

/** Largest page size (service document 8). */
export const maxItemsPerPage = 500;
export const maxPage = 1_000_000_000;

export function parseQuery(raw: RawQuery, isList: boolean): Query {
  const supported = isList ? [...commonParameters, ...pagingParameters] : commonParameters;
  const value = <T>(name: string, defaultValue: T, parse: (name: string, text: string) => T): T => {
    const text = supported.includes(name) ? raw[name] : undefined;
    if (text === undefined) return defaultValue;
    if (typeof text === "string") return parse(name, text);
    throw invalidParameter(name, `The query parameter "${name}" must not be repeated.`);
  };
  const query: Query = {
    pretty: value("pretty", false, boolean),
    envelope: value("envelope", false, boolean),
    pageNum: value("pageNum", 1, integerUpTo(maxPage)),
    itemsPerPage: value("itemsPerPage", 100, integerUpTo(maxItemsPerPage)),
    includeCount: value("includeCount", true, boolean),
  };
  const unknown = Object.keys(raw).find((name) => !supported.includes(name));
  if (unknown === undefined) return query;
  throw invalidParameter(
    unknown,
    `The query parameter "${unknown}" is not supported by this operation.`,
  );
}

const commonParameters = ["pretty", "envelope"];
const pagingParameters = ["pageNum", "itemsPerPage", "includeCount"];

function boolean(name: string, text: string): boolean {
  if (text === "true") return true;
  if (text === "false") return false;
  throw invalidParameter(name, `The query parameter "${name}" must be true or false.`);
}

function integerUpTo(maximum: number) {
  return (name: string, text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= maximum) return value;
    throw invalidParameter(
      name,
      `The query parameter "${name}" must be a whole number from 1 to ${maximum}.`,
    );
  };
}

function invalidParameter(name: string, detail: string): ServiceError {
  return new ServiceError(400, "INVALID_QUERY_PARAMETER", detail, [name]);
}

export function parseJson(contentType: string | undefined, text: unknown): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "")) {
    throw new ServiceError(
      400,
      "INVALID_CONTENT_TYPE",
      "A JSON body with the header Content-Type: application/json is required.",
      ["Content-Type"],
    );
  }
  try {
    return JSON.parse(typeof text === "string" ? text : "");
  } catch {
    throw new ServiceError(400, "MALFORMED_JSON", "The body is not valid JSON.");
  }
}

/** Validates a body. An error names every invalid field, and says which ones only the service can set. */
export function parseBody<S extends z.ZodType>(
  schema: S,
  value: unknown,
  readOnly: readonly string[] = [],
): z.output<S> {
  const result = validate(schema, value);
  if ("data" in result) return result.data;
  const problems = result.problems.map(({ path, text, isUnknown = false }) => ({
    field: path.map(String).join("."),
    text: isUnknown && readOnly.includes(String(path.at(-1))) ? "cannot be set or changed" : text,
  }));
  const detail = problems
    .map(({ field, text }) => (field === "" ? text : `${field}: ${text}`))
    .join("; ");
  const fields = problems.map(({ field }) => field).filter((field) => field !== "");
  throw invalidAttribute(`Invalid body. ${detail}`, ...fields);
}
