// Query parameters: `pretty` and `envelope` on any request, paging on lists (service document 4.2
// and 4.3). What is unknown, doubled, not of its type or out of range is refused by name.
import { ServiceError } from "../errors";

export interface Query {
  readonly pretty: boolean;
  readonly envelope: boolean;
  readonly pageNum: number;
  readonly itemsPerPage: number;
  readonly includeCount: boolean;
}

export type RawQuery = Readonly<Record<string, string | string[]>>;

export const MAXIMUM_ITEMS_PER_PAGE = 500;
export const MAXIMUM_PAGE = 1_000_000_000;

/** @throws {ServiceError} 400 that names the parameter */
export function parseQuery(raw: RawQuery, isList: boolean): Query {
  const left = new Set(Object.keys(raw));
  const take = <T>(name: string, missing: T, parse: (name: string, text: string) => T): T => {
    left.delete(name);
    const value = raw[name];
    if (value === undefined) return missing;
    if (typeof value === "string") return parse(name, value);
    throw refusal(name, `The query parameter "${name}" is given more than once.`);
  };
  const query: Query = {
    pretty: take("pretty", false, boolean),
    envelope: take("envelope", false, boolean),
    ...(isList
      ? {
          pageNum: take("pageNum", 1, integerUpTo(MAXIMUM_PAGE)),
          itemsPerPage: take("itemsPerPage", 100, integerUpTo(MAXIMUM_ITEMS_PER_PAGE)),
          includeCount: take("includeCount", true, boolean),
        }
      : NO_PAGING),
  };
  for (const name of left) {
    throw refusal(name, `The query parameter "${name}" is not known here.`);
  }
  return query;
}

const NO_PAGING = { pageNum: 1, itemsPerPage: 1, includeCount: false };

function boolean(name: string, text: string): boolean {
  if (text === "true") return true;
  if (text === "false") return false;
  throw refusal(name, `The query parameter "${name}" must be true or false.`);
}

function integerUpTo(maximum: number) {
  return (name: string, text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= maximum) return value;
    throw refusal(
      name,
      `The query parameter "${name}" must be a whole number from 1 to ${maximum}.`,
    );
  };
}

function refusal(name: string, detail: string): ServiceError {
  return new ServiceError(400, "INVALID_QUERY_PARAMETER", detail, [name]);
}
