/**
 * Reads all pages of a list, and determines whether the list is complete (service document 4.3): every page
 * reports the same total count, no ID or name repeats, and there are as many records as the count.
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

export interface EntityList<T> {
  /** In their order. A record that repeats another one unchanged is left out. */
  readonly entities: readonly T[];
  /** Whether the service reports a total count. */
  readonly hasCount: boolean;
  /** Why the list may be incomplete, for a message; undefined for a complete list. */
  readonly incomplete: string | undefined;
}

export interface ReadOptions {
  /**
   * Whether to read on until a page is empty, because the count may be wrong. Otherwise, the list ends at its count.
   * Default: false
   */
  readonly verifyEnd?: boolean | undefined;
}

/**
 * Reads all pages of a list. An incomplete list is read once more, because it may have changed while it was being
 * read. Throws if the first page cannot be read, or if a later one fails without being refused. The caller
 * must limit the time, because a list may be endless.
 */
export async function readList<T extends Identity>(
  readPage: (pageNumber: number) => Promise<ListPage<T>>,
  options: ReadOptions = {},
): Promise<EntityList<T>> {
  const list = await readOnce(readPage, options);
  // A second reading would have no count either.
  if (list.incomplete === undefined || !list.hasCount) return list;
  return await readOnce(readPage, options);
}

async function readOnce<T extends Identity>(
  readPage: (pageNumber: number) => Promise<ListPage<T>>,
  { verifyEnd = false }: ReadOptions,
): Promise<EntityList<T>> {
  const records = new Records<T>();
  let count: number | undefined;
  let hasCount = false;
  const end = (reason?: string): EntityList<T> => {
    const { all } = records;
    const read = all.length === 1 ? "1 item was read" : `${all.length} items were read`;
    const incomplete = reason === undefined ? undefined : `${read}, but ${reason}`;
    return { entities: all, hasCount, incomplete };
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
    if (read === count && (!verifyEnd || results.length === 0)) return end();
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
    if (known.some((each) => each !== undefined)) this.hasRepeated = true;
    if (!known.some((each) => isDeepStrictEqual(each, record))) this.all.push(record);
    if (id !== undefined) this.#byId.set(id, record);
    if (name !== undefined) this.#byName.set(name, record);
  }
}

/** What a service responds if it does not have a page, or does not know a parameter. */
const refusals: readonly ErrorCode[] = [
  ...(["not-found", "invalid-field", "media-type", "service-refused"] as const),
  ...(["method-not-allowed", "malformed-response"] as const),
];

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && refusals.includes(error.code);
}

/** Returns the path and query of a page. Page numbers start at 1. */
export function pagePath(listPath: string, pageNumber: number): string {
  return `${listPath}?pageNum=${pageNumber}&itemsPerPage=${itemsPerPage}&includeCount=true`;
}
