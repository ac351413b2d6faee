/**
 * Reads all pages of a list, and determines whether the list is complete (service document 4.3).
 *
 * The service document does not name the count, the links or the paging parameters, so a service may use
 * names that are not supported here. A list only counts as complete if one of these proves it:
 * 1. a total count is present and was reached,
 * 2. earlier pages had a `next` link and the last one does not, or
 * 3. the page after the last item is empty.
 *
 * The last two prove the end of a list, but not its start: page 1 is the second page if a service numbers its
 * pages from 0. A request without parameters then returns items that were not read.
 *
 * None of them proves it if any response reports a higher total count than the number of items read.
 *
 * No record is lost: if two records have the same ID or name but different content, both are kept and the
 * list counts as changed.
 */
import { isDeepStrictEqual } from "node:util";
import { ApiError, type ErrorCode, NoResponseError } from "./errors";
import type { ListPage } from "./schemas";

/** The maximum number of items on a page (service document 8). */
const itemsPerPage = 500;

/** Ends a message about a list that may be incomplete. */
export const pagingAdvice =
  "Try again. If the error persists, compare the service's paging with https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/reference/service-differences.md";

/** A page to read: by number, by the link in the page before it, or without any parameter. */
export type PageAddress =
  | { readonly kind: "number"; readonly pageNumber: number; readonly pageSize: number }
  | { readonly kind: "link"; readonly href: string }
  | { readonly kind: "unparameterized" };

/** Identifies an entity. The ID of one entity may be the name of another. */
export interface Identity {
  readonly id: string | undefined;
  readonly name: string | undefined;
}

export interface EntityList<T> {
  readonly entities: readonly T[];
  /** Records of earlier readings that are missing from the last one, or differ from it. */
  readonly superseded: readonly T[];
  /** Why the list may be incomplete, for a message; undefined for a complete list. */
  readonly incomplete: string | undefined;
}

/** How often a list is read if it changes while it is being read. */
const maxReads = 3;

/** Limits that no list of this service reaches. */
const maxPages = 1000;
const maxEntities = 100_000;

/**
 * Reads all pages of a list, each entity once. A list that changes while it is being read is read again, up
 * to three times. If the service refuses a page after the first, the list is incomplete.
 */
export async function readList<T extends Identity>(
  readPage: (address: PageAddress) => Promise<ListPage<T>>,
): Promise<EntityList<T>> {
  const superseded = new Records<T>();
  for (let number = 1; ; number += 1) {
    const { records, end } = await readOnce(readPage);
    if (end.kind !== "changed" || number === maxReads) {
      const { all } = records;
      const itemsRead = all.length === 1 ? "1 item was read" : `${all.length} items were read`;
      return {
        entities: all,
        superseded: superseded.all.filter((record) => !records.has(record)),
        incomplete: end.kind === "complete" ? undefined : `${itemsRead}, but ${end.reason}`,
      };
    }
    for (const record of records.all) superseded.add(record);
  }
}

/** The distinct records that a service sent, in their order. */
class Records<T extends Identity> {
  readonly all: T[] = [];
  /** The number of entities: records that differ only in content count once. */
  size = 0;
  /** How many records have neither an ID nor a name. */
  unidentified = 0;
  /** Whether two records have the same ID or name, but other content. */
  isContradictory = false;
  /** The first record with each ID and with each name. */
  readonly #byId = new Map<string, T>();
  readonly #byName = new Map<string, T>();

  /** Adds a record unless it repeats an earlier one. */
  add(record: T): void {
    if (this.has(record)) return;
    if (!this.knows(record)) this.size += 1;
    if (!isIdentified(record)) this.unidentified += 1;
    this.all.push(record);
    this.#index(this.#byId, record.id, record);
    this.#index(this.#byName, record.name, record);
  }

  /** Returns whether there is a record of the same entity with the same content. */
  has(record: T): boolean {
    const known = this.#recordOf(record);
    return known !== undefined && isDeepStrictEqual(known, record);
  }

  /** Returns whether there is a record of the same entity. */
  knows(record: T): boolean {
    return this.#recordOf(record) !== undefined;
  }

  #recordOf({ id, name }: T): T | undefined {
    if (id !== undefined) return this.#byId.get(id);
    return name === undefined ? undefined : this.#byName.get(name);
  }

  #index(records: Map<string, T>, key: string | undefined, record: T): void {
    if (key === undefined) return;
    if (records.has(key)) this.isContradictory = true;
    else records.set(key, record);
  }
}

function isIdentified({ id, name }: Identity): boolean {
  return id !== undefined || name !== undefined;
}

/** How a reading ended. `changed`: the list changed in the meantime; reading it again may succeed. */
type End =
  | { readonly kind: "complete" }
  | { readonly kind: "changed" | "incomplete"; readonly reason: string };

/** The records read so far, and the paging behavior of the service. */
class Reading<T extends Identity> {
  readonly records = new Records<T>();
  readonly linksRead = new Set<string>();
  pages = 0;
  /** Items on the first page. Later pages are requested with this size, so that there are no gaps. */
  pageSize = itemsPerPage;
  /** The count on the first page. */
  totalCount: number | undefined;
  /** The highest count in any response; 0 without a count. */
  highestCount = 0;
  /** Items on the previous page. */
  lastPageLength = 0;
  repeatedItems = false;
}

/** The facts about a page that determine the next step. */
interface PageRead extends Omit<ListPage<unknown>, "results"> {
  readonly length: number;
  /** Items that were not on an earlier page. */
  readonly added: number;
}

type Step = { readonly kind: "read"; readonly address: PageAddress } | End;

async function readOnce<T extends Identity>(
  readPage: (address: PageAddress) => Promise<ListPage<T>>,
): Promise<{ records: Records<T>; end: End }> {
  const reading = new Reading<T>();
  const { records } = reading;
  let step: Step = { kind: "read", address: pageByNumber(1, itemsPerPage) };
  while (step.kind === "read") step = await readStep(readPage, reading, step.address);
  return { records, end: step.kind === "complete" ? verifiedEnd(reading) : step };
}

/** Returns the end of a reading that looks complete, unless the service contradicts itself. */
function verifiedEnd({ records, highestCount }: Reading<Identity>): End {
  if (records.isContradictory) {
    return changedEnd("the service returned different records with the same ID or name");
  }
  if (records.size >= highestCount) return { kind: "complete" };
  return changedEnd(reportedTotal(highestCount));
}

function reportedTotal(count: number): string {
  return `the service reports a total of ${count}`;
}

/** If the service refuses a page after the first, the list is incomplete. Throws other failures. */
async function readStep<T extends Identity>(
  readPage: (address: PageAddress) => Promise<ListPage<T>>,
  reading: Reading<T>,
  address: PageAddress,
): Promise<Step> {
  try {
    const page = await readPage(address);
    reading.highestCount = Math.max(reading.highestCount, page.totalCount ?? 0);
    return address.kind === "unparameterized"
      ? unparameterizedStep(reading, page)
      : addPage(reading, page);
  } catch (error) {
    const isRefusal = error instanceof ApiError && pageRefusals.includes(error.code);
    if (reading.pages === 0 || !isRefusal) throw error;
    return incompleteEnd(`a further page could not be read: ${error.message}`);
  }
}

/** What a service responds if it does not have a page, or does not know a parameter. */
const pageRefusals: readonly ErrorCode[] = [
  ...([
    "not-found",
    "invalid-field",
    "media-type",
    "service-refused",
    "method-not-allowed",
    "malformed-response",
  ] as const),
];

function addPage<T extends Identity>(
  reading: Reading<T>,
  { results, totalCount, next }: ListPage<T>,
): Step {
  const { records } = reading;
  const before = records.size;
  for (const record of results) records.add(record);
  // Items without an identity may be the same as on an earlier page.
  const isComparable = reading.pages === 0 || results.some(isIdentified);
  const added = isComparable ? records.size - before : 0;
  const page: PageRead = { length: results.length, added, totalCount, next };
  reading.pages += 1;
  if (reading.pages === 1) reading.totalCount = totalCount;
  if (added < results.length) reading.repeatedItems = true;
  const step = nextStep(reading, page);
  reading.lastPageLength = results.length;
  const isTooLong = reading.pages >= maxPages || records.all.length > maxEntities;
  return step.kind === "read" && step.address.kind !== "unparameterized" && isTooLong
    ? incompleteEnd(`the list does not end within ${maxPages} pages and ${maxEntities} items`)
    : step;
}

function nextStep(reading: Reading<Identity>, page: PageRead): Step {
  const { totalCount, next: href } = page;
  if (href !== undefined) {
    if (reading.linksRead.has(href)) return incompleteEnd("the next links form a loop");
    reading.linksRead.add(href);
    return { kind: "read", address: { kind: "link", href } };
  }
  // A count that is lower than the number of items read is not the count of the list.
  if (totalCount !== undefined && reading.records.size <= totalCount) {
    return countedStep(reading, page, totalCount);
  }
  if (reading.linksRead.size > 0) {
    return reading.repeatedItems
      ? changedEnd("the linked pages repeat items")
      : unparameterizedPage;
  }
  return uncountedStep(reading, page);
}

function countedStep(reading: Reading<Identity>, page: PageRead, totalCount: number): Step {
  const read = reading.records.size;
  const reason = reportedTotal(totalCount);
  // Items added or removed between two requests may have moved another item to a page already read.
  if (reading.totalCount !== totalCount) {
    return changedEnd(`${reason}, and reported ${String(reading.totalCount)} before`);
  }
  if (read === totalCount) return { kind: "complete" };
  if (reading.linksRead.size > 0 || page.added === 0) return changedEnd(reason);
  return nextNumber(reading, page);
}

/** Without a count, a request without parameters proves that the pages start with the first item. */
const unparameterizedPage: Step = { kind: "read", address: { kind: "unparameterized" } };

/**
 * Compares the response to {@link unparameterizedPage}, which contains the first items, with the items that were
 * read, and adds the records that differ.
 */
function unparameterizedStep<T extends Identity>(
  { records }: Reading<T>,
  { results }: ListPage<T>,
): Step {
  const identified = results.filter(isIdentified);
  const hasMoreUnidentified = results.length - identified.length > records.unidentified;
  const isKnown = identified.every((record) => records.knows(record)) && !hasMoreUnidentified;
  const isEmpty = results.length === 0;
  const isSame = isKnown && isEmpty === (records.size === 0);
  for (const record of hasMoreUnidentified ? results : identified) records.add(record);
  if (isSame) return { kind: "complete" };
  return changedEnd(
    `a request without paging parameters returns ${isEmpty ? "no" : "further"} items: the service numbers its pages differently, or the list changed`,
  );
}

/** Without a count and links, only an empty page after the last item proves the end. */
function uncountedStep(reading: Reading<Identity>, page: PageRead): Step {
  const read = reading.records.size;
  if (page.length === 0 && reading.pages === 1) return unparameterizedPage;
  // After an empty page, this is the response to pageAfterLast.
  if (reading.pages > 1 && reading.lastPageLength === 0) {
    return page.length === 0 ? unparameterizedPage : incompleteEnd(unevenPages);
  }
  if (page.length === 0) {
    if (reading.lastPageLength === reading.pageSize) return unparameterizedPage;
    return { kind: "read", address: pageAfterLast(read, reading.pageSize) };
  }
  if (page.added < page.length)
    return incompleteEnd(`page ${reading.pages} repeats earlier items: ${ignoredParameters}`);
  const isGap = reading.pages > 1 && reading.lastPageLength !== reading.pageSize;
  return isGap ? incompleteEnd(unevenPages) : nextNumber(reading, page);
}

const ignoredParameters =
  "the service returns no totalCount and no next link, and seems to ignore the parameters pageNum and itemsPerPage";
const unevenPages =
  "the service returns no totalCount and no next link, and its pages vary in size, so items between them may be missing";

function nextNumber(reading: Reading<Identity>, page: PageRead): Step {
  if (reading.pages === 1) reading.pageSize = page.length;
  const pageSize = Math.min(reading.pageSize, itemsPerPage);
  return { kind: "read", address: pageByNumber(reading.pages + 1, pageSize) };
}

/**
 * Returns the page that starts right after the items read so far. It is no larger than the first page:
 * a service may return fewer items than requested.
 */
function pageAfterLast(read: number, firstPageLength: number): PageAddress {
  let pageSize = Math.min(read, firstPageLength, itemsPerPage);
  while (read % pageSize !== 0) pageSize -= 1;
  return pageByNumber(read / pageSize + 1, pageSize);
}

function pageByNumber(pageNumber: number, pageSize: number): PageAddress {
  return { kind: "number", pageNumber, pageSize };
}

function incompleteEnd(reason: string): End {
  return { kind: "incomplete", reason };
}

function changedEnd(reason: string): End {
  return { kind: "changed", reason };
}

/**
 * Returns the path and query of a page. Only the query of a link is used. The configured origin prevents
 * credentials from being sent elsewhere, and the path of the list keeps out records of other lists. Throws if
 * a link leads to another path.
 */
export function pagePath(address: PageAddress, origin: string, listPath: string): string {
  if (address.kind === "unparameterized") return listPath;
  if (address.kind === "number") {
    const { pageNumber, pageSize } = address;
    return `${listPath}?pageNum=${pageNumber}&itemsPerPage=${pageSize}&includeCount=true`;
  }
  // Not a relative URL, because a path that starts with two slashes would be taken for a host.
  const list = new URL(`${origin}${listPath}`);
  const { href } = address;
  const link = URL.canParse(href, list.href) ? new URL(href, list) : undefined;
  if (link?.pathname === list.pathname) return `${listPath}${link.search}`;
  throw new NoResponseError(
    "malformed-response",
    { method: "GET", path: listPath, attempts: 1 },
    "the next link of the list leads to another path, or is not a URL",
  );
}
