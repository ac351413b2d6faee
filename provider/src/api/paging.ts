/**
 * Reads a list to its end, and says whether the end was shown (service document 4.3).
 *
 * The document leaves the names of the count, the links and the paging parameters open, so a service
 * may use others than the ones understood here. A list counts as complete only on evidence:
 * 1. a total count was understood and reached,
 * 2. a `next` link was understood earlier and is absent now, or
 * 3. the page behind the last item is empty.
 */
import { ApiError, errorCodes } from "./errors";
import type { ListPage } from "./schemas";

/** The most items that a page may hold (service document 8). */
export const itemsPerPage = 500;

/** A page to read: by number, by the link in the page before it, or without any parameter. */
export type PageAddress =
  | { readonly kind: "number"; readonly pageNumber: number; readonly pageSize: number }
  | { readonly kind: "link"; readonly href: string }
  | { readonly kind: "plain" };

/** What was read of a list. */
export type EntityList<T> =
  | { readonly kind: "complete"; readonly entities: readonly T[] }
  /** `reason` says what is missing to show that this is all, in words for the user. */
  | { readonly kind: "incomplete"; readonly entities: readonly T[]; readonly reason: string };

/** How often a list is read when it changes while it is being read. */
const mostReadings = 3;

/** Bounds that no list of this service reaches. */
const mostPages = 1000;
const mostEntities = 100_000;

/**
 * Reads all pages of a list, each entity once. A list that changes while it is being read is read
 * again, up to three times.
 *
 * @param readPage reads one page; a refusal of a later page makes the list incomplete
 * @param identity tells entities apart; undefined for one that cannot be told from others
 * @throws ApiError when the first page, or the service as a whole, fails
 */
export async function readList<T>(
  readPage: (address: PageAddress) => Promise<ListPage<T>>,
  identity: (entity: T) => string | undefined,
): Promise<EntityList<T>> {
  for (let reading = 1; ; reading += 1) {
    const { entities, end } = await readOnce(readPage, identity);
    const all = [...entities.values()];
    if (end.kind === "complete") return { kind: "complete", entities: all };
    if (end.kind === "incomplete" || reading === mostReadings) {
      return {
        kind: "incomplete",
        entities: all,
        reason: `${all.length} were read, and ${end.reason}`,
      };
    }
  }
}

/** How a reading ended. `moved`: the list changed meanwhile; another reading may end better. */
type End =
  | { readonly kind: "complete" }
  | { readonly kind: "moved" | "incomplete"; readonly reason: string };

/** What has been read so far, and what was understood of the service. */
interface Reading<T> {
  readonly entities: Map<string, T>;
  readonly linksRead: Set<string>;
  pages: number;
  /** Items on the first page. Later pages are asked for with this size, so that none starts behind a gap. */
  pageSize: number;
  /** The count that the first page gave. */
  totalCount: number | undefined;
  /** Items on the page before. */
  lastPageLength: number;
  repeatedItems: boolean;
}

/** One page, as the decision about the next step sees it. */
interface PageRead {
  readonly length: number;
  /** Items that no earlier page held. */
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
  };
  let step: Step = { kind: "read", address: numbered(1, itemsPerPage) };
  while (step.kind === "read") {
    step = await readStep(readPage, reading, step.address, identity);
  }
  return { entities: reading.entities, end: step };
}

/** A service that refuses a page behind the first leaves the list incomplete; other failures are thrown. */
async function readStep<T>(
  readPage: (address: PageAddress) => Promise<ListPage<T>>,
  reading: Reading<T>,
  address: PageAddress,
  identity: (entity: T) => string | undefined,
): Promise<Step> {
  try {
    return take(reading, address, await readPage(address), identity);
  } catch (error) {
    if (reading.pages === 0 || !refusesPage(error)) throw error;
    return incomplete(`a further page could not be read: ${error.message}`);
  }
}

function refusesPage(error: unknown): error is ApiError {
  const refusals: readonly string[] = [
    errorCodes.notFound,
    errorCodes.invalidField,
    errorCodes.refused,
    errorCodes.methodNotAllowed,
    errorCodes.malformed,
  ];
  return error instanceof ApiError && refusals.includes(error.code);
}

/** Takes a page into the reading and decides what to do next. */
function take<T>(
  reading: Reading<T>,
  address: PageAddress,
  { results, totalCount, next }: ListPage<T>,
  identity: (entity: T) => string | undefined,
): Step {
  const before = reading.entities.size;
  const identities = results.map(identity);
  for (const [index, entity] of results.entries()) {
    reading.entities.set(identities[index] ?? `${reading.pages}/${index}`, entity);
  }
  // Items that cannot be told apart may be the ones of an earlier page.
  const isKnown = reading.pages === 0 || identities.some((id) => id !== undefined);
  const added = isKnown ? reading.entities.size - before : 0;
  const page: PageRead = { length: results.length, added, totalCount, next };
  reading.pages += 1;
  if (reading.pages === 1) reading.totalCount = totalCount;
  if (added < results.length) reading.repeatedItems = true;
  const step = nextStep(reading, address, page);
  reading.lastPageLength = results.length;
  const isTooLong = reading.pages >= mostPages || reading.entities.size > mostEntities;
  return step.kind === "read" && isTooLong
    ? incomplete(`the list does not end within ${mostPages} pages and ${mostEntities} items`)
    : step;
}

function nextStep(reading: Reading<unknown>, address: PageAddress, page: PageRead): Step {
  if (page.next !== undefined) return followLink(reading, page.next);
  const { totalCount } = page;
  // A count that more items were read than it says is not a count of the list.
  if (totalCount !== undefined && reading.entities.size <= totalCount) {
    return countedStep(reading, page, totalCount);
  }
  if (reading.linksRead.size > 0) {
    const reason = "pages behind next links repeat each other's items";
    return reading.repeatedItems ? { kind: "moved", reason } : { kind: "complete" };
  }
  return uncountedStep(reading, address, page);
}

function followLink(reading: Reading<unknown>, href: string): Step {
  if (reading.linksRead.has(href)) return incomplete("its next links lead in a circle");
  reading.linksRead.add(href);
  return { kind: "read", address: { kind: "link", href } };
}

function countedStep(reading: Reading<unknown>, page: PageRead, totalCount: number): Step {
  const read = reading.entities.size;
  const reason = `the service counts ${totalCount}`;
  // What was added or removed between two pages may have moved an item past the reading.
  if (reading.totalCount !== totalCount)
    return { kind: "moved", reason: `${reason}, and counted ${String(reading.totalCount)} before` };
  if (read === totalCount) return { kind: "complete" };
  if (reading.linksRead.size > 0 || page.added === 0) return { kind: "moved", reason };
  return nextNumber(reading, page);
}

/** Neither count nor link: only an empty page behind the last item shows the end. */
function uncountedStep(reading: Reading<unknown>, address: PageAddress, page: PageRead): Step {
  const read = reading.entities.size;
  if (address.kind === "plain") {
    return page.length === 0
      ? { kind: "complete" }
      : incomplete(
          "page 1 of the list is empty although the list is not: pages are numbered in another way",
        );
  }
  if (page.length === 0 && reading.pages === 1) return { kind: "read", address: { kind: "plain" } };
  if (isProbe(reading, address)) {
    return page.added === 0 ? { kind: "complete" } : incomplete(unevenPages);
  }
  if (page.length === 0) {
    const wasFull = reading.lastPageLength === reading.pageSize;
    return wasFull
      ? { kind: "complete" }
      : { kind: "read", address: pageBehind(read, reading.pageSize) };
  }
  if (page.added < page.length)
    return incomplete(`page ${reading.pages} repeats earlier items: ${notUnderstood}`);
  const isGap = reading.pages > 2 && reading.lastPageLength !== reading.pageSize;
  return isGap ? incomplete(unevenPages) : nextNumber(reading, page);
}

const notUnderstood =
  "the service gives no totalCount and no next link, and seems to ignore the parameters pageNum and itemsPerPage";
const unevenPages =
  "the service gives no totalCount and no next link, and its pages vary in size, so that items may be missing between them";

function nextNumber(reading: Reading<unknown>, page: PageRead): Step {
  if (reading.pages === 1) reading.pageSize = page.length;
  const asked = Math.min(reading.pageSize, itemsPerPage);
  return { kind: "read", address: numbered(reading.pages + 1, asked) };
}

/**
 * The page that starts right behind the items that were read, whatever their number. It is no larger
 * than the first page was: a service may give fewer items than are asked for.
 */
function pageBehind(read: number, firstPageLength: number): PageAddress {
  let pageSize = Math.min(read, firstPageLength, itemsPerPage);
  while (read % pageSize !== 0) pageSize -= 1;
  return numbered(read / pageSize + 1, pageSize);
}

/** True for the answer to {@link pageBehind}: the page before it was empty. */
function isProbe(reading: Reading<unknown>, address: PageAddress): boolean {
  return address.kind === "number" && reading.pages > 1 && reading.lastPageLength === 0;
}

function numbered(pageNumber: number, pageSize: number): PageAddress {
  return { kind: "number", pageNumber, pageSize };
}

function incomplete(reason: string): End {
  return { kind: "incomplete", reason };
}
