/** A service whose parameters and count may mean something else than the settings say. */
import type { ListNames } from "../../provider/src/service/paging";

/**
 * What a parameter means. Those of the position: `page of requested size` starts after as many items as were requested
 * for the pages before, although each has fewer; `item` is the number of the first item, from 1; `after…` is the ID of
 * the item before the first one, and an unknown ID starts nowhere, or at the first item; `later` returns items with
 * greater IDs. A `filter` matches some items or none, and `sort` reverses their order.
 */
export const parameterMeanings = [
  "page",
  "page from 0",
  "page of requested size",
  "offset",
  "item",
  "after, or nowhere",
  "after, or first",
  "later",
  "size",
  "count",
  "filter",
  "filter of none",
  "sort",
  "nothing",
] as const;

type Meaning = (typeof parameterMeanings)[number];

/**
 * What the count means. `list` is the number of items that match the filters, `project` that of all items. `last page`
 * counts from 0, as `last item` does. `rest` is the number of items after the page.
 */
export const countMeanings = [
  "list",
  "project",
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
  /** What the parameters of the settings mean. */
  readonly pageParameter: Meaning;
  readonly pageSizeParameter: Meaning;
  readonly countParameter: Meaning;
  readonly countField: (typeof countMeanings)[number];
  /** Whether a page has the count without the parameter for it, or has 0 instead. */
  readonly unasked: "count" | "none" | "zero";
  /** The number of items on a page, at most. */
  readonly maxSize: number;
  /** That of a page without a parameter for it. */
  readonly defaultSize: number;
  /** How the list without parameters differs: it lacks some items, or is sorted in reverse. */
  readonly plain: "same" | "hides" | "reversed";
}

interface Item {
  readonly id: string;
}

/** Returns the body of the response to a request for a page. The names are those that the client uses. */
export function pageBody(
  all: readonly Item[],
  service: ListMeanings,
  names: ListNames,
  query: URLSearchParams,
): Readonly<Record<string, unknown>> {
  const given = parametersIn(service, names, query);
  const listed = listedItems(all, given, query.size === 0 ? service.plain : "same");
  const size = sizeOf(service, given);
  const start = Math.min(startOf(listed, size, given), listed.length);
  const results = listed.slice(start, start + size);
  const asked = given.get("count") === "true" ? "count" : service.unasked;
  const count = countOf(service, { all, listed, results, start, size, given });
  return {
    results,
    ...(asked === "none" ? {} : { [names.countField]: asked === "zero" ? 0 : count }),
  };
}

/** Values of parameters, by what they mean. */
type Given = ReadonlyMap<Meaning, string>;

function parametersIn(service: ListMeanings, names: ListNames, query: URLSearchParams): Given {
  const parameters = ["pageParameter", "pageSizeParameter", "countParameter"] as const;
  return new Map(
    parameters.flatMap((parameter) => {
      const value = query.get(names[parameter]);
      return value === null ? [] : [[service[parameter], value] as const];
    }),
  );
}

/** Returns the items that match the filters, in the order of the list. */
function listedItems(
  all: readonly Item[],
  given: Given,
  plain: ListMeanings["plain"],
): readonly Item[] {
  const filter = given.get("filter");
  const matching = all.filter((_, at) => {
    if (given.has("filter of none") || (plain === "hides" && at % 3 === 1)) return false;
    return filter === undefined || (at + filter.length) % 2 === 0;
  });
  return given.has("sort") || plain === "reversed" ? matching.reverse() : matching;
}

function sizeOf({ maxSize, defaultSize }: ListMeanings, given: Given): number {
  const size = Number(given.get("size"));
  return size > 0 ? Math.min(size, maxSize) : defaultSize;
}

/** Returns the index of the first item of a page. The service ignores a position that is not a number. */
function startOf(listed: readonly Item[], size: number, given: Given): number {
  const number = (meaning: Meaning, fallback: number) => Number(given.get(meaning)) || fallback;
  const index = (
    meaning: Meaning,
    ifUnknown: number,
    isFirst: (id: string, value: string) => boolean,
  ) => {
    const value = given.get(meaning);
    if (value === undefined) return 0;
    const found = listed.findIndex(({ id }) => isFirst(id, value));
    return found === -1 ? ifUnknown : found;
  };
  const isAfter = (id: string, value: string) =>
    listed[listed.findIndex((item) => item.id === id) - 1]?.id === value;
  return (
    (number("page", 1) - 1) * size +
    number("page from 0", 0) * size +
    (number("page of requested size", 1) - 1) * (Number(given.get("size")) || size) +
    number("offset", 0) +
    (number("item", 1) - 1) +
    index("after, or nowhere", listed.length, isAfter) +
    index("after, or first", 0, isAfter) +
    index("later", listed.length, (id, value) => id > value)
  );
}

interface Page {
  readonly all: readonly Item[];
  readonly listed: readonly Item[];
  readonly results: readonly Item[];
  readonly start: number;
  readonly size: number;
  readonly given: Given;
}

function countOf({ countField }: ListMeanings, page: Page): number | undefined {
  const { all, listed, results, start, size, given } = page;
  const pages = Math.ceil(listed.length / size);
  return {
    list: listed.length,
    project: all.length,
    page: results.length,
    pages,
    "last page": Math.max(0, pages - 1),
    "last item": Math.max(0, listed.length - 1),
    "page number": Number(given.get("page")) || 0,
    size,
    rest: Math.max(0, listed.length - start - results.length),
    "at most 3": Math.min(3, listed.length),
    nothing: undefined,
  }[countField];
}
