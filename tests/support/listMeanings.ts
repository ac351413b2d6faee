/** A list of clusters whose parameter of the page and whose count may mean something else than the documented ones. */
import type { ListNames } from "../../provider/src/service/paging";

/**
 * What the parameter of the page means. `item`: the number of the first item, from 1. `after…`: the ID of the item
 * before the first one; an unknown ID starts nowhere, or at the first item. `later`: items with greater IDs. `size`:
 * the number of items. `requested size`: the number of a page from 1, which starts after as many items as were
 * requested for the pages before, although each has fewer.
 */
export const pageMeanings = [
  "page from 1",
  "page from 0",
  "offset",
  "item",
  "after, or nowhere",
  "after, or first",
  "later",
  "size",
  "requested size",
  "nothing",
] as const;

/** What the count means. `last page` counts from 0, as `last item` does. `rest`: the number of items after the page. */
export const countMeanings = [
  "list",
  "page",
  "pages",
  "last page",
  "last item",
  "page number",
  "size",
  "rest",
  "at most 3",
  "nothing",
] as const;

export interface ListMeanings {
  readonly page: (typeof pageMeanings)[number];
  readonly count: (typeof countMeanings)[number];
  /** The number of items on a page, at most. */
  readonly size: number;
  readonly names: ListNames;
}

interface Item {
  readonly id: string;
}

/** Returns the body of the response to a request for a page. */
export function pageBody(
  all: readonly Item[],
  { page, count, size: pageSize, names }: ListMeanings,
  query: URLSearchParams,
): Readonly<Record<string, unknown>> {
  const given = query.get(names.pageParameter);
  const number = Number(given ?? (page === "page from 1" || page === "item" ? 1 : 0));
  const size = page === "size" && given !== null ? number : pageSize;
  const after = all.findIndex(({ id }) => id === given);
  const later = all.findIndex(({ id }) => id > (given ?? ""));
  const start = {
    "page from 1": (number - 1) * size,
    "page from 0": number * size,
    offset: number,
    item: number - 1,
    "after, or nowhere": after === -1 && given !== null ? all.length : after + 1,
    "after, or first": after + 1,
    later: later === -1 ? all.length : later,
    size: 0,
    "requested size":
      given === null ? 0 : (number - 1) * Number(query.get(names.pageSizeParameter)),
    nothing: 0,
  }[page];
  const results = all.slice(start, start + size);
  const pages = Math.ceil(all.length / size);
  const counted = {
    list: all.length,
    page: results.length,
    pages,
    "last page": Math.max(0, pages - 1),
    "last item": Math.max(0, all.length - 1),
    "page number": number,
    size,
    rest: Math.max(0, all.length - start - results.length),
    "at most 3": Math.min(3, all.length),
    nothing: undefined,
  }[count];
  return { results, [names.countField]: counted };
}
