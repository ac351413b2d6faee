/** Reads every page of a list (service document 4.3). */
import { NoAnswerError, errorCodes } from "./errors";
import type { ListPage } from "./schemas";

/** The most items a page may hold (service document 8). */
export const itemsPerPage = 500;

/** Which page to read: by number, or by the link that the page before it gave. */
export type PageAddress =
  | { readonly kind: "number"; readonly pageNumber: number }
  | { readonly kind: "link"; readonly href: string };

/** How often a list is read when it changes while it is being read. */
const mostReadings = 3;

/**
 * All entities of the list at a path, each once. A service says that there is more by a `next` link
 * or by its total count; where it gives neither, pages are read until one brings nothing new. When
 * fewer were read than the count says, the list moved under the reading and is read again.
 *
 * Throws {@link NoAnswerError} where it is still incomplete after {@link mostReadings} readings: a
 * guard must not take a part for the whole.
 */
export async function readAllPages<T>(
  path: string,
  readPage: (address: PageAddress) => Promise<ListPage<T>>,
  identity: (entity: T) => string,
): Promise<T[]> {
  for (let reading = 1; ; reading += 1) {
    const { entities, totalCount } = await readOnce(readPage, identity);
    const isLast = reading === mostReadings;
    const excess = totalCount === undefined ? 0 : entities.size - totalCount;
    if (excess === 0 || (excess > 0 && isLast)) return [...entities.values()];
    if (isLast) {
      throw new NoAnswerError(
        errorCodes.malformed,
        { method: "GET", path, attempts: reading },
        `by its own count the list holds ${entities.size - excess}, and only ${entities.size} could be read. Try again.`,
      );
    }
  }
}

async function readOnce<T>(
  readPage: (address: PageAddress) => Promise<ListPage<T>>,
  identity: (entity: T) => string,
) {
  const entities = new Map<string, T>();
  let address: PageAddress | undefined = { kind: "number", pageNumber: 1 };
  let totalCount: number | undefined;
  let read = 0;
  for (let pageNumber = 1; address !== undefined; pageNumber += 1) {
    const page: ListPage<T> = await readPage(address);
    const before = entities.size;
    for (const entity of page.results) entities.set(identity(entity), entity);
    read += page.results.length;
    totalCount = page.totalCount;
    address = entities.size > before ? nextPage(page, pageNumber, read) : undefined;
  }
  return { entities, totalCount };
}

function nextPage(
  { links, totalCount }: ListPage<unknown>,
  pageNumber: number,
  read: number,
): PageAddress | undefined {
  const next = links.find(({ rel }) => rel === "next");
  if (next !== undefined) return { kind: "link", href: next.href };
  // A service that links its pages says by leaving `next` out that this one is the last.
  const more = totalCount === undefined ? links.length === 0 : read < totalCount;
  return more ? { kind: "number", pageNumber: pageNumber + 1 } : undefined;
}
