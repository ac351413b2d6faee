/**
 * Reads all pages of a list, and determines what the result proves (service document 4.3). A list is complete if every
 * page reports the same total count, no ID or name repeats, there are as many records as the count, the page after the
 * last record is empty, and page 1 is the beginning of the list. The last is proven by a request without the number of
 * a page, because the setting for its parameter may name an offset, or a page that counts from 0.
 */
import { isDeepStrictEqual } from "node:util";
import type { ErrorCode } from "../messages/errors";
import { ApiError } from "./requestErrors";
import type { ServiceRequest } from "./exchange";
import type { ListPage } from "./schemas";
import { escapeText } from "../messages/text";

/** The maximum number of items on a page (service document 8). A service may return fewer. */
const itemsPerPage = 500;

/** The names that the service document does not show (4.3). */
export interface ListNames {
  readonly pageParameter: string;
  readonly pageSizeParameter: string;
  readonly countParameter: string;
  readonly countField: string;
}

export const defaultListNames: ListNames = {
  pageParameter: "pageNum",
  pageSizeParameter: "itemsPerPage",
  countParameter: "includeCount",
  countField: "totalCount",
};

/** Why a list may be incomplete. */
export interface Gap {
  /** A clause without a period, such as `1 item was read, but ...`. */
  readonly reason: string;
  /** What to do, as a sentence. */
  readonly advice: string;
}

export const differencesPage =
  "https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/reference/service-differences.md";

/** Names every setting that may be the reason for an incomplete list. */
const compareNames = `compare clouddb:pageParameter, clouddb:pageSizeParameter, clouddb:countParameter and clouddb:countField with the service's documentation: ${differencesPage}`;

export const retryAdvice = `Try again. If the error persists, ${compareNames}`;

const noCountAdvice = `Without a count, the list cannot be shown to be complete. To find its name, ${compareNames}`;

/** Identifies an entity. The ID of one entity may be the name of another. */
export interface Identity {
  readonly id: string | undefined;
  readonly name: string | undefined;
}

/** One reading of a list. */
export interface Reading<T> {
  /** In their order. A record that repeats another one unchanged is left out. */
  readonly entities: readonly T[];
  /** Whether the service reports a total count. */
  readonly hasCount: boolean;
  /** Why the reading may lack entities. A reading up to the count may lack some without a gap. */
  readonly gap: Gap | undefined;
}

/** Where a reading ends: at the count, or at the first empty page, because a count may be wrong. */
export type End = "count" | "emptyPage";

/** Reads a page; page numbers start at 1. Without a number, reads the page that the service returns by default. */
export type PageReader<T> = (pageNumber: number | undefined) => Promise<ListPage<T>>;

/**
 * Repeats a reading with a gap once, because the list may have changed meanwhile. Throws if the first page cannot be
 * read, or a later one fails without being refused. The caller must limit the time, because a list may be endless.
 */
export async function readList<T extends Identity>(
  readPage: PageReader<T>,
  names: ListNames,
  end: End,
): Promise<Reading<T>> {
  const reading = await readOnce(readPage, names, end);
  // A second reading would have no count either.
  const isFinal = reading.gap === undefined || !reading.hasCount;
  return isFinal ? reading : await readOnce(readPage, names, end);
}

async function readOnce<T extends Identity>(
  readPage: PageReader<T>,
  names: ListNames,
  readUntil: End,
): Promise<Reading<T>> {
  const records = new Records<T>();
  let firstPage: readonly T[] | undefined;
  let count: number | undefined;
  let hasCount = false;
  const end = (problem?: string, advice = retryAdvice): Reading<T> => {
    const { all } = records;
    const read = all.length === 1 ? "1 item was read" : `${all.length} items were read`;
    const gap = problem === undefined ? undefined : { reason: `${read}, but ${problem}`, advice };
    return { entities: all, hasCount, gap };
  };
  for (let number = 1; ; number += 1) {
    const page = await (number === 1 ? readPage(1) : orRefusal(readPage(number)));
    if (page instanceof ApiError) return end(`page ${number} could not be read: ${page.message}`);
    const { results, count: pageCount } = page;
    firstPage ??= results;
    const identified = records.identified;
    for (const record of results) records.add(record);
    if (pageCount !== undefined) hasCount = true;
    if (number === 1) count = pageCount;
    if (pageCount !== count) {
      return end(`its total count changed from ${count ?? "none"} to ${pageCount ?? "none"}`);
    }
    if (count === undefined) {
      // Without a count, reading ends when a page brings nothing new.
      if (records.identified > identified) continue;
      const problem = `the service reports no ${escapeText(names.countField)}, so others may exist`;
      return end(problem, noCountAdvice);
    }
    const read = records.all.length;
    if (records.hasRepeated) return end(`page ${number} repeats an ID or a name`);
    if (read > count || (read < count && results.length === 0)) {
      return end(`the service reports a total of ${count}`);
    }
    if (read === count && readUntil === "count") return end();
    if (results.length === 0) break;
  }
  const page = await orRefusal(readPage(undefined));
  if (page instanceof ApiError) {
    return end(`the list without a page number could not be read: ${page.message}`);
  }
  // A record may have changed meanwhile, and the guard judges both. One without an ID then counts as a difference.
  for (const record of page.results) if (record.id !== undefined) records.add(record);
  return isDeepStrictEqual(identitiesOf(page.results), identitiesOf(firstPage))
    ? end()
    : end("page 1 differs from the list without a page number");
}

/** Returns what identifies each record of a page, in any order. A record without an ID is compared as a whole. */
function identitiesOf<T extends Identity>(records: readonly T[]): ReadonlySet<string | T> {
  return new Set(records.map((record) => record.id ?? record));
}

/** The records of one reading, in their order. */
class Records<T extends Identity> {
  readonly all: T[] = [];
  /** Whether a record had the ID or the name of an earlier one. */
  hasRepeated = false;
  readonly #byId = new Map<string | undefined, T>();
  readonly #byName = new Map<string | undefined, T>();

  /** The number of different IDs and names. */
  get identified(): number {
    return this.#byId.size + this.#byName.size;
  }

  add(record: T): void {
    const { id, name } = record;
    const known = [this.#byId.get(id), this.#byName.get(name)];
    if (known.some((earlier) => earlier !== undefined)) this.hasRepeated = true;
    if (!known.some((earlier) => isDeepStrictEqual(earlier, record))) this.all.push(record);
    if (id !== undefined) this.#byId.set(id, record);
    if (name !== undefined) this.#byName.set(name, record);
  }
}

/** What a service responds if it does not have a page, or does not know a parameter. */
const refusals: readonly ErrorCode[] = [
  "not-found",
  "invalid-field",
  "media-type",
  "service-refused",
  "method-not-allowed",
  "malformed-response",
];

async function orRefusal<T>(page: Promise<ListPage<T>>): Promise<ListPage<T> | ApiError> {
  return await page.catch((error: unknown) => {
    if (error instanceof ApiError && refusals.includes(error.code)) return error;
    throw error;
  });
}

/** Returns the request of a page; without a number, of the page that the service returns by default. */
export function pageRequest<Request extends Pick<ServiceRequest, "path" | "origins">>(
  list: Request,
  pageNumber: number | undefined,
  { pageParameter, pageSizeParameter, countParameter }: ListNames,
): Request {
  const query = new URLSearchParams({
    ...(pageNumber === undefined ? {} : { [pageParameter]: String(pageNumber) }),
    [pageSizeParameter]: String(itemsPerPage),
    [countParameter]: "true",
  });
  const origins = {
    ...list.origins,
    [pageParameter]: "pageParameter",
    [pageSizeParameter]: "pageSizeParameter",
    [countParameter]: "countParameter",
  };
  return { ...list, path: `${list.path}?${query.toString()}`, origins };
}
