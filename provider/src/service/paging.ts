/**
 * Reads all pages of a list, and determines what the result proves (service document 4.3). A list is taken as complete
 * if every page reports the same total count, no ID or name repeats, there are as many records as the count, the page
 * after the last record is empty, and the first page of the list without any parameter has no other record, no higher
 * count, and is empty only if the list is. Only this comparison can show that a setting names the wrong parameter,
 * because its request contains no name from a setting. In a list of several pages, a cluster that is deleted and one
 * that is created between two pages can still hide a third (docs/internals/trust.md#not-promised). Each page is a
 * request that retry.ts repeats.
 */
import { isDeepStrictEqual } from "node:util";
import type { ErrorCode } from "../messages/errors";
import { ApiError } from "./requestErrors";
import type { ServiceRequest } from "./exchange";
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

/** One page of a list. */
export interface ListPage<T> {
  readonly results: readonly T[];
  /** Count of the whole list; undefined if there is no valid one. */
  readonly count: number | undefined;
}

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
  /** The entities in their order, without records that repeat another one unchanged. */
  readonly entities: readonly T[];
  /** Whether the service reports a total count. */
  readonly hasCount: boolean;
  /** Why the reading may lack entities. A reading up to the count may lack some without a gap. */
  readonly gap: Gap | undefined;
}

/** Where a reading ends: at the count, or at the first empty page, because a count may be wrong. */
export type End = "count" | "emptyPage";

/** Reads a page; page numbers start at 1. Without a number, reads the list without any parameter. */
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

/** Reads the list once, and returns what the reading proves. */
async function readOnce<T extends Identity>(
  readPage: PageReader<T>,
  { countField }: ListNames,
  end: End,
): Promise<Reading<T>> {
  const pages = new Pages<T>(countField);
  const gap = (await readPages(pages, readPage, end)) ?? (await prove(pages, readPage, end));
  return { entities: pages.records.all, hasCount: pages.hasCount, gap };
}

/** Reads the pages up to the end. Returns why the list may be incomplete. */
async function readPages<T extends Identity>(
  pages: Pages<T>,
  readPage: PageReader<T>,
  end: End,
): Promise<Gap | undefined> {
  for (let number = 1; ; number += 1) {
    const page = await (number === 1 ? readPage(1) : orRefusal(readPage(number)));
    if (page instanceof ApiError)
      return pages.gap(`page ${number} could not be read: ${page.message}`);
    const progress = pages.add(page);
    if (typeof progress !== "string") return progress;
    if (progress === "empty page" || (progress === "counted" && end === "count")) return undefined;
  }
}

/** Compares a list that was read to an empty page with the one without parameters. Returns why it may be incomplete. */
async function prove<T extends Identity>(
  pages: Pages<T>,
  readPage: PageReader<T>,
  end: End,
): Promise<Gap | undefined> {
  if (end === "count") return undefined;
  const page = await orRefusal(readPage(undefined));
  return page instanceof ApiError
    ? pages.gap(`the list without parameters could not be read: ${page.message}`)
    : pages.compare(page);
}

/** How the reading goes on after a page. `counted`: there are as many records as the count. */
type Progress = "more" | "counted" | "empty page";

/** The pages of one reading so far, in their order. */
class Pages<T extends Identity> {
  readonly records = new Records<T>();
  /** Whether a page had a total count. */
  hasCount = false;
  readonly #countField: string;
  #length = 0;
  /** The total count on page 1. */
  #count: number | undefined;

  constructor(countField: string) {
    this.#countField = countField;
  }

  /** Adds the next page. Returns how the reading goes on, or why the list may be incomplete. */
  add({ results, count }: ListPage<T>): Progress | Gap {
    this.#length += 1;
    const identified = this.records.identified;
    for (const record of results) this.records.add(record);
    if (count !== undefined) this.hasCount = true;
    if (this.#length === 1) this.#count = count;
    if (count !== this.#count) {
      return this.gap(
        `its total count changed from ${this.#count ?? "none"} to ${count ?? "none"}`,
      );
    }
    if (count === undefined) {
      // Without a count, reading ends when a page brings nothing new.
      if (this.records.identified > identified) return "more";
      const problem = `the service reports no ${escapeText(this.#countField)}, so others may exist`;
      return this.gap(problem, noCountAdvice);
    }
    const read = this.records.all.length;
    if (this.records.hasRepeated) return this.gap(`page ${this.#length} repeats an ID or a name`);
    if (read > count || (read < count && results.length === 0)) {
      return this.gap(`the service reports a total of ${count}`);
    }
    if (results.length === 0) return "empty page";
    return read === count ? "counted" : "more";
  }

  /**
   * Compares the pages with the first one of the list without parameters, and adds its records. It may omit records, be
   * sorted differently, and have no count or a lower one. Returns why the list may be incomplete.
   */
  compare({ results, count = 0 }: ListPage<T>): Gap | undefined {
    const read = this.records.all.length;
    const unread = new Set(results.filter((record) => !this.records.has(record)));
    const gap = this.#difference(Math.max(unread.size, results.length - read), results, count);
    for (const record of results) {
      // A known record may have changed meanwhile, and the guard judges both.
      if (unread.has(record) || record.id !== undefined) this.records.add(record);
    }
    return gap;
  }

  #difference(unreadCount: number, results: readonly T[], count: number): Gap | undefined {
    const read = this.records.all.length;
    if (unreadCount > 0) {
      const which = unreadCount === 1 ? "1 other" : `${unreadCount} others`;
      return this.gap(`the list without parameters has ${which}`);
    }
    if (count > read) return this.gap(`the list without parameters reports a total of ${count}`);
    return results.length === 0 && read > 0
      ? this.gap("the list without parameters is empty")
      : undefined;
  }

  /** Returns the gap with this problem, which also says how many items were read so far. */
  gap(problem: string, advice = retryAdvice): Gap {
    const read = this.records.all.length;
    return {
      reason: `${read === 1 ? "1 item was read" : `${read} items were read`}, but ${problem}`,
      advice,
    };
  }
}

/** The records of one reading, in their order. */
class Records<T extends Identity> {
  readonly all: T[] = [];
  /** Whether a record had the ID or the name of an earlier one. */
  hasRepeated = false;
  readonly #byId = new Map<string | undefined, T>();
  readonly #byName = new Map<string | undefined, T>();

  /** Returns whether there is a record with the same ID, or for a record without an ID, an equal one. */
  has(record: T): boolean {
    const { id, name } = record;
    if (id !== undefined) return this.#byId.has(id);
    const candidates = name === undefined ? this.all : [this.#byName.get(name)];
    return candidates.some((candidate) => isDeepStrictEqual(candidate, record));
  }

  /** The number of different IDs and names. */
  get identified(): number {
    return this.#byId.size + this.#byName.size;
  }

  add(record: T): void {
    const { id, name } = record;
    const earlier = [this.#byId.get(id), this.#byName.get(name)];
    if (earlier.some((one) => one !== undefined)) this.hasRepeated = true;
    if (!earlier.some((one) => isDeepStrictEqual(one, record))) this.all.push(record);
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

/** Waits for a page. Returns the error if the service refuses the page, as one that it does not have. */
async function orRefusal<T>(page: Promise<ListPage<T>>): Promise<ListPage<T> | ApiError> {
  return await page.catch((error: unknown) => {
    if (error instanceof ApiError && refusals.includes(error.code)) return error;
    throw error;
  });
}

/** Returns the request of a page; without a number, of the list without any parameter. */
export function pageRequest<Request extends Pick<ServiceRequest, "path" | "origins">>(
  list: Request,
  pageNumber: number | undefined,
  { pageParameter, pageSizeParameter, countParameter }: ListNames,
): Request {
  if (pageNumber === undefined) return list;
  const query = new URLSearchParams({
    [pageParameter]: String(pageNumber),
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
