/**
 * Parses query parameters: `pretty` and `envelope` on every request, paging on lists (service document
 * 4.2 and 4.3). Rejects parameters that are unknown, repeated or invalid.
 */
import { ServiceError } from "../store/serviceError";

/** Parsed query parameters with their defaults. */
export interface Query {
  /** Whether to format the JSON. */
  readonly pretty: boolean;
  /** Whether to wrap the response in an envelope. */
  readonly envelope: boolean;
  /** Page number, starting at 1. */
  readonly pageNum: number;
  /** Page size. */
  readonly itemsPerPage: number;
  /** Whether to include the total count of items. */
  readonly includeCount: boolean;
}

/** Query parameters as strings; arrays if repeated. */
export type RawQuery = Readonly<Record<string, string | string[]>>;

/** Largest page size (service document 8). */
export const maxItemsPerPage = 500;
/** Largest page number. */
export const maxPage = 1_000_000_000;

/**
 * Parses query parameters.
 *
 * @param raw the parameters
 * @param isList whether the operation is a list, which supports paging
 * @returns the parameters with defaults
 * @throws ServiceError 400 that names the invalid parameter
 */
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
