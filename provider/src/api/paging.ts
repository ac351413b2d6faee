/**
 * Reads all pages of a list, and determines whether the list is complete (service document 4.3).
 *
 * The service document does not name the count, the links and the paging parameters, so a service may use
 * other names than the ones supported here. A list only counts as complete if one of these proves it:
 * 1. a total count is present and was reached,
 * 2. earlier pages had a `next` link and the last one does not, or
 * 3. the page after the last item is empty.
 *
 * The last two prove the end of a list, but not its start: page 1 is the second one if a service numbers
 * its pages from 0. A request without parameters then returns items that were not read.
 */
import { ApiError, type ErrorCode, errorCodes } from "./errors";
import type { ListPage } from "./schemas";

/** The maximum number of items on a page (service document 8). */
const itemsPerPage = 500;

/** A page to read: by number, by the link in the page before it, or without any parameter. */
export type PageAddress =
  | { readonly kind: "number"; readonly pageNumber: number; readonly pageSize: number }
  | { readonly kind: "link"; readonly href: string }
  | { readonly kind: "plain" };

/** The result of reading a list. */
export type EntityList<T> =
  | { readonly kind: "complete"; readonly entities: readonly T[] }
  /** `reason` tells the user why the list may be incomplete. */
  | { readonly kind: "incomplete"; readonly entities: readonly T[]; readonly reason: string };

/** How often a list is read if it changes while it is being read. */
const maxReads = 3;

/** Limits that no list of this service reaches. */
const maxPages = 1000;
const maxEntities = 100_000;

/**
 * Reads all pages of a list, each entity once. A list that changes while it is being read is read
 * again, up to three times.
 *
 * @param readPage reads one page; if the service refuses a page after the first, the list is incomplete
 * @param identity returns the identity of an entity; undefined if it has none
 * @returns the entities, and whether they are the complete list
 * @throws what `readPage` throws for the first page, or if the service fails or cannot be reached
 */
export async function readList<T>(
  readPage: (address: PageAddress) => Promise<ListPage<T>>,
  identity: (entity: T) => string | undefined,
): Promise<EntityList<T>> {
  for (let reading = 1; ; reading += 1) {
    const { entities, end } = await readOnce(readPage, identity);
    const all = [...entities.values()];
    if (end.kind === "complete") return { kind: "complete", entities: all };
    if (end.kind === "incomplete" || reading === maxReads) {
      const itemsRead = all.length === 1 ? "1 item was read" : `${all.length} items were read`;
      return { kind: "incomplete", entities: all, reason: `${itemsRead}, but ${end.reason}` };
    }
  }
}

/** How a reading ended. `changed`: the list changed in the meantime; reading it again may succeed. */
type End =
  | { readonly kind: "complete" }
  | { readonly kind: "changed" | "incomplete"; readonly reason: string };

/** The entities read so far, and the paging behavior of the service. */
interface Reading<T> {
  readonly entities: Map<string, T>;
  readonly linksRead: Set<string>;
  pages: number;
  /** Items on the first page. Later pages are requested with this size, so that there are no gaps. */
  pageSize: number;
  /** The count on the first page. */
  totalCount: number | undefined;
  /** Items on the previous page. */
  lastPageLength: number;
  repeatedItems: boolean;
  /** How many entities have no identity. */
  unidentified: number;
}

/** The facts about a page that determine the next step. */
interface PageRead {
  readonly length: number;
  /** Items that were not on an earlier page. */
  readonly added: number;
  readonly totalCount: number | undefined;
  readonly next: string | undefined;
}

type Step = { readonly kind: "read"; readonly address: PageAddress } | End;

async function readOnce<T>(
  readPage: (address: PageAddress) => Promise<ListPage<T>>,
  identity: (entity: T) => string | undefined,
): Promise<{ entities: ReadonlyMap<string, T>; end: End }> {
  const reading: Reading<T> = {
    entities: new Map(),
    linksRead: new Set(),
    pages: 0,
    pageSize: itemsPerPage,
    totalCount: undefined,
    lastPageLength: 0,
    repeatedItems: false,
    unidentified: 0,
  };
  let step: Step = { kind: "read", address: numbered(1, itemsPerPage) };
  while (step.kind === "read") {
    step = await readStep(readPage, reading, step.address, identity);
  }
  return { entities: reading.entities, end: step };
}

/** If the service refuses a page after the first, the list is incomplete. Throws other failures. */
async function readStep<T>(
  readPage: (address: PageAddress) => Promise<ListPage<T>>,
  reading: Reading<T>,
  address: PageAddress,
  identity: (entity: T) => string | undefined,
): Promise<Step> {
  try {
    return addPage(reading, address, await readPage(address), identity);
  } catch (error) {
    if (reading.pages === 0 || !isPageRefusal(error)) throw error;
    return incomplete(`a further page could not be read: ${error.message}`);
  }
}

function isPageRefusal(error: unknown): error is ApiError {
  const codes: readonly ErrorCode[] = [
    errorCodes.notFound,
    errorCodes.invalidField,
    errorCodes.refused,
    errorCodes.methodNotAllowed,
    errorCodes.malformed,
  ];
  return error instanceof ApiError && codes.includes(error.code);
}

/** Adds a page to the entities that were read, and returns the next step. */
function addPage<T>(
  reading: Reading<T>,
  address: PageAddress,
  { results, totalCount, next }: ListPage<T>,
  identity: (entity: T) => string | undefined,
): Step {
  const before = reading.entities.size;
  const identities = results.map(identity);
  if (address.kind === "plain") return plainStep(reading, identities);
  for (const [index, entity] of results.entries()) {
    reading.entities.set(identities[index] ?? `${reading.pages}/${index}`, entity);
  }
  // Items without an identity may be the same as on an earlier page.
  const isComparable = reading.pages === 0 || identities.some((id) => id !== undefined);
  const added = isComparable ? reading.entities.size - before : 0;
  const page: PageRead = { length: results.length, added, totalCount, next };
  reading.pages += 1;
  reading.unidentified += countUnidentified(identities);
  if (reading.pages === 1) reading.totalCount = totalCount;
  if (added < results.length) reading.repeatedItems = true;
  const step = nextStep(reading, page);
  reading.lastPageLength = results.length;
  const isTooLong = reading.pages >= maxPages || reading.entities.size > maxEntities;
  return step.kind === "read" && step.address.kind !== "plain" && isTooLong
    ? incomplete(`the list does not end within ${maxPages} pages and ${maxEntities} items`)
    : step;
}

function countUnidentified(identities: readonly (string | undefined)[]): number {
  return identities.filter((id) => id === undefined).length;
}

function nextStep(reading: Reading<unknown>, page: PageRead): Step {
  if (page.next !== undefined) return followLink(reading, page.next);
  const { totalCount } = page;
  // A count that is lower than the number of items read is not the count of the list.
  if (totalCount !== undefined && reading.entities.size <= totalCount) {
    return countedStep(reading, page, totalCount);
  }
  if (reading.linksRead.size > 0) {
    const reason = "the linked pages repeat items";
    return reading.repeatedItems ? { kind: "changed", reason } : plainPage;
  }
  return uncountedStep(reading, page);
}

function followLink(reading: Reading<unknown>, href: string): Step {
  if (reading.linksRead.has(href)) return incomplete("the next links form a loop");
  reading.linksRead.add(href);
  return { kind: "read", address: { kind: "link", href } };
}

function countedStep(reading: Reading<unknown>, page: PageRead, totalCount: number): Step {
  const read = reading.entities.size;
  const reason = `the service reports a total of ${totalCount}`;
  // Items added or removed between two requests may have moved another item to a page already read.
  if (reading.totalCount !== totalCount)
    return {
      kind: "changed",
      reason: `${reason}, and reported ${String(reading.totalCount)} before`,
    };
  if (read === totalCount) return { kind: "complete" };
  if (reading.linksRead.size > 0 || page.added === 0) return { kind: "changed", reason };
  return nextNumber(reading, page);
}

/** Without a count, a request without parameters proves that the pages start with the first item. */
const plainPage: Step = { kind: "read", address: { kind: "plain" } };

/** Compares the response to {@link plainPage}, which contains the first items, with the items that were read. */
function plainStep(
  { entities, unidentified }: Reading<unknown>,
  identities: readonly (string | undefined)[],
): Step {
  const isKnown = identities.every((id) => id === undefined || entities.has(id));
  const isEmpty = identities.length === 0;
  if (
    isKnown &&
    countUnidentified(identities) <= unidentified &&
    isEmpty === (entities.size === 0)
  ) {
    return { kind: "complete" };
  }
  const reason = `a request without paging parameters returns ${isEmpty ? "no" : "further"} items: the service numbers its pages differently, or the list changed`;
  return { kind: "changed", reason };
}

/** Without a count and links, only an empty page after the last item proves the end. */
function uncountedStep(reading: Reading<unknown>, page: PageRead): Step {
  const read = reading.entities.size;
  if (page.length === 0 && reading.pages === 1) return plainPage;
  if (isPageAfterLast(reading)) {
    return page.length === 0 ? plainPage : incomplete(unevenPages);
  }
  if (page.length === 0) {
    const wasFull = reading.lastPageLength === reading.pageSize;
    return wasFull ? plainPage : { kind: "read", address: pageAfterLast(read, reading.pageSize) };
  }
  if (page.added < page.length)
    return incomplete(`page ${reading.pages} repeats earlier items: ${ignoredParameters}`);
  const isGap = reading.pages > 1 && reading.lastPageLength !== reading.pageSize;
  return isGap ? incomplete(unevenPages) : nextNumber(reading, page);
}

const ignoredParameters =
  "the service returns no totalCount and no next link, and seems to ignore the parameters pageNum and itemsPerPage";
const unevenPages =
  "the service returns no totalCount and no next link, and its pages vary in size, so items between them may be missing";

function nextNumber(reading: Reading<unknown>, page: PageRead): Step {
  if (reading.pages === 1) reading.pageSize = page.length;
  const pageSize = Math.min(reading.pageSize, itemsPerPage);
  return { kind: "read", address: numbered(reading.pages + 1, pageSize) };
}

/**
 * Returns the page that starts right after the items read so far. It is no larger than the first page:
 * a service may return fewer items than requested.
 */
function pageAfterLast(read: number, firstPageLength: number): PageAddress {
  let pageSize = Math.min(read, firstPageLength, itemsPerPage);
  while (read % pageSize !== 0) pageSize -= 1;
  return numbered(read / pageSize + 1, pageSize);
}

/** Returns whether a page is the response to {@link pageAfterLast}: the previous page was empty. */
function isPageAfterLast(reading: Reading<unknown>): boolean {
  return reading.pages > 1 && reading.lastPageLength === 0;
}

function numbered(pageNumber: number, pageSize: number): PageAddress {
  return { kind: "number", pageNumber, pageSize };
}

function incomplete(reason: string): End {
  return { kind: "incomplete", reason };
}
