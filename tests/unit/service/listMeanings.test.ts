import assert from "node:assert/strict";
import { defaultListNames, pageRequest, readList } from "../../../provider/src/service/paging";
import { clusterReader, pageOf } from "../../../provider/src/service/schemas";
import {
  type ListMeanings,
  countMeanings,
  pageBody,
  pageMeanings,
} from "../../support/listMeanings";

/** Returns this many clusters. The IDs begin with each digit, because a page number may be the ID of the item before. */
const clustersOf = (length: number) =>
  Array.from({ length }, (_, at) => ({ id: `${at}c`, name: `c${at}`, dbVersion: "7.0.12" }));

const allMeanings: readonly ListMeanings[] = pageMeanings.flatMap((page) =>
  countMeanings.flatMap((count) =>
    [1, 2, 3, 100].map((size) => ({ page, count, names: defaultListNames, size })),
  ),
);

/** Nothing shows what is missing if page 2 is empty, and a count of something else equals the records of page 1. */
const wrongTogether: readonly ListMeanings["count"][] = [
  "pages",
  "last page",
  "last item",
  "size",
  "at most 3",
];

/** Reads a list as the guard does. */
const readVerified = async (clusters: ReturnType<typeof clustersOf>, list: ListMeanings) => {
  const { names } = list;
  const schema = pageOf(clusterReader("db"), names.countField);
  const readPage = async (number: number | undefined) => {
    const { searchParams } = new URL(
      pageRequest({ path: "/" }, number, names).path,
      "https://api.example",
    );
    return Promise.resolve(schema.parse(pageBody(clusters, list, searchParams)));
  };
  return await readList(readPage, names, "emptyPage");
};

describe("a list whose page and count may mean something else", () => {
  for (let length = 0; length <= 5; length += 1) {
    const clusters = clustersOf(length);
    it(`is never complete if it lacks one of ${length} clusters, and always as documented`, async () => {
      for (const list of allMeanings) {
        const { entities, gap } = await readVerified(clusters, list);
        const isComplete = gap === undefined;
        const what = `${entities.length} of ${length} clusters: ${JSON.stringify(list)}`;
        const isProvable = list.page !== "requested size" || !wrongTogether.includes(list.count);
        if (isComplete && isProvable) assert.equal(entities.length, length, what);
        if (list.page === "page from 1" && list.count === "list") assert.ok(isComplete, what);
      }
    });
  }
});
