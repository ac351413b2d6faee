/** Reads every page of a list (service document 4.3). */
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
 * All entities of a list, each once. A service says that there is more by a `next` link, by its
 * total count, or by a full page. When the count does not fit what was read, the list moved under
 * the reading and is read again, at most {@link mostReadings} times in all.
 */
export async function readAllPages<T>(
  readPage: (address: PageAddress) => Promise<ListPage<T>>,
  identity: (entity: T) => string,
): Promise<T[]> {
  for (let reading = 1; ; reading += 1) {
    const { entities, totalCount } = await readOnce(readPage);
    const unique = new Map(entities.map((entity) => [identity(entity), entity]));
    if (totalCount === undefined || totalCount === unique.size || reading === mostReadings) {
      return [...unique.values()];
    }
  }
}

async function readOnce<T>(readPage: (address: PageAddress) => Promise<ListPage<T>>) {
  const entities: T[] = [];
  let address: PageAddress | undefined = { kind: "number", pageNumber: 1 };
  let totalCount: number | undefined;
  for (let pageNumber = 1; address !== undefined; pageNumber += 1) {
    const page: ListPage<T> = await readPage(address);
    entities.push(...page.results);
    totalCount = page.totalCount;
    address = nextPage(page, pageNumber, entities.length);
  }
  return { entities, totalCount };
}

function nextPage(
  page: ListPage<unknown>,
  pageNumber: number,
  read: number,
): PageAddress | undefined {
  if (page.results.length === 0) return undefined;
  const next = page.links.find(({ rel }) => rel === "next");
  if (next !== undefined) return { kind: "link", href: next.href };
  const more =
    page.totalCount === undefined ? page.results.length >= itemsPerPage : read < page.totalCount;
  return more ? { kind: "number", pageNumber: pageNumber + 1 } : undefined;
}
