/**
 * Reads all pages of a list, and determines what the result proves (service document 4.3). A list is complete if every
 * page reports the same total count, no ID or name repeats, there are as many records as the count, and the page after
 * the last record is empty.
 */
import { isDeepStrictEqual } from "node:util";
import { ApiError, type ErrorCode } from "./errors";
import type { ListPage } from "./schemas";

/** The maximum number of items on a page (service document 8). A service may return fewer. */
const itemsPerPage = 500;

/** Ends a message about a list that may be incomplete. */
export const pagingAdvice =
  "Try again. If the error persists, compare the service's paging with https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/reference/service-differences.md";

/** Identifies an entity. The ID of one entity may be the name of another. */
export interface Identity {
  readonly id: string | undefined;
  readonly name: string | undefined;
}

/** A list that was read up to its count. What it contains exists. What it lacks may exist as well. */
export interface Listed<T> {
  /** In their order. A record that repeats another one unchanged is left out. */
  readonly entities: readonly T[];
  /** Why the reading ended before the count was reached, for a message. */
  readonly endedEarly: string | undefined;
}

/** A list that was read until a page was empty, because a count may be wrong. Only such a list can be complete. */
export interface Verified<T> {
  /** In their order. A record that repeats another one unchanged is left out. */
  readonly entities: readonly T[];
  /** Why the list may be incomplete, for a message; undefined for a complete list. */
  readonly incomplete: string | undefined;
}

/** Reads a page; page numbers start at 1. */
export type PageReader<T> = (pageNumber: number) => Promise<ListPage<T>>;

/**
 * Reads a list up to its count. A list that ends early is read once more, because it may have changed while it was being
 * read. Throws if the first page cannot be read, or if a later one fails without being refused. The caller must limit
 * the time, because a list may be endless.
 */
export async function readListed<T extends Identity>(readPage: PageReader<T>): Promise<Listed<T>> {
  const { entities, gap } = await readTwice(readPage, "count");
  return { entities, endedEarly: gap };
}

/** Like {@link readListed}, but reads on until a page is empty. */
export async function readVerified<T extends Identity>(
  readPage: PageReader<T>,
): Promise<Verified<T>> {
  const { entities, gap } = await readTwice(readPage, "emptyPage");
  return { entities, incomplete: gap };
}

interface Reading<T> {
  readonly entities: readonly T[];
  /** Whether the service reports a total count. */
  readonly hasCount: boolean;
  readonly gap: string | undefined;
}

/** Where a reading ends. */
type End = "count" | "emptyPage";

async function readTwice<T extends Identity>(
  readPage: PageReader<T>,
  end: End,
): Promise<Reading<T>> {
  const reading = await readOnce(readPage, end);
  // A second reading would have no count either.
  return reading.gap === undefined || !reading.hasCount ? reading : await readOnce(readPage, end);
}

async function readOnce<T extends Identity>(
  readPage: PageReader<T>,
  readUntil: End,
): Promise<Reading<T>> {
  const records = new Records<T>();
  let count: number | undefined;
  let hasCount = false;
  const end = (reason?: string): Reading<T> => {
    const { all } = records;
    const read = all.length === 1 ? "1 item was read" : `${all.length} items were read`;
    const gap = reason === undefined ? undefined : `${read}, but ${reason}`;
    return { entities: all, hasCount, gap };
  };
  for (let number = 1; ; number += 1) {
    const page = await readPage(number).catch((error: unknown) => {
      if (number > 1 && isRefusal(error)) return error;
      throw error;
    });
    if (page instanceof ApiError) return end(`page ${number} could not be read: ${page.message}`);
    const { results, totalCount } = page;
    const identified = records.identified;
    for (const record of results) records.add(record);
    if (totalCount !== undefined) hasCount = true;
    if (number === 1) count = totalCount;
    if (totalCount !== count) {
      return end(`its total count changed from ${count ?? "none"} to ${totalCount ?? "none"}`);
    }
    if (count === undefined) {
      const hasNew = records.identified > identified;
      if (!hasNew) return end("the service reports no totalCount, so others may exist");
      continue;
    }
    const read = records.all.length;
    if (records.hasRepeated) return end(`page ${number} repeats an ID or a name`);
    if (read > count || (read < count && results.length === 0)) {
      return end(`the service reports a total of ${count}`);
    }
    if (read === count && (readUntil === "count" || results.length === 0)) return end();
  }
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

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && refusals.includes(error.code);
}

/** Returns the path and query of a page. Page numbers start at 1. */
export function pagePath(listPath: string, pageNumber: number): string {
  return `${listPath}?pageNum=${pageNumber}&itemsPerPage=${itemsPerPage}&includeCount=true`;
}
