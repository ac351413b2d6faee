import assert from "node:assert/strict";
import fc from "fast-check";
import { pageRequest, readList } from "../../../provider/src/service/paging";
import { clusterReader, pageOf } from "../../../provider/src/service/schemas";
import { defaultListNames } from "../../../provider/src/settings/settings";
import {
  type ListMeanings,
  countMeanings,
  pageBody,
  parameterMeanings,
} from "../../support/listMeanings";

/** How many readings to simulate. */
const { LIST_READINGS = "50000" } = process.env;

/** Returns this many clusters. The IDs begin with each digit, because a page number may be the ID of the item before. */
const clustersOf = (length: number) =>
  Array.from({ length }, (_, at) => ({ id: `${at}c`, name: `c${at}`, dbVersion: "7.0.12" }));

/** Half of the services have the documented meaning, because a list with several others rarely looks complete. */
const mostly = <T>(documented: T, all: readonly T[]) =>
  fc.oneof(fc.constant(documented), fc.constantFrom(...all));

const listing = fc.record({
  length: fc.nat({ max: 6 }),
  service: fc.record<ListMeanings>({
    pageParameter: mostly("page", parameterMeanings),
    pageSizeParameter: mostly("size", parameterMeanings),
    countParameter: mostly("count", parameterMeanings),
    countField: mostly("list", countMeanings),
    unasked: fc.constantFrom("count", "count", "none", "zero"),
    maxSize: fc.constantFrom(1, 2, 3, 100),
    defaultSize: fc.constantFrom(1, 2, 3, 100),
    plain: fc.constantFrom("same", "same", "hides", "reversed"),
  }),
});

/** Reads a list as the guard does. */
const readVerified = async (length: number, service: ListMeanings) => {
  const clusters = clustersOf(length);
  const names = defaultListNames;
  const schema = pageOf(clusterReader("db"), names.countField);
  const readPage = async (number: number | undefined) => {
    const { path } = pageRequest({ path: "/" }, number, names);
    const { searchParams } = new URL(path, "https://api.example");
    return Promise.resolve(schema.parse(pageBody(clusters, service, names, searchParams)));
  };
  return await readList(readPage, names, "emptyPage");
};

/** Returns whether the parameters have the names of the settings. */
const isNamedRight = ({ pageParameter, pageSizeParameter, countParameter }: ListMeanings) =>
  pageParameter === "page" && pageSizeParameter === "size" && countParameter === "count";

/** Returns what else a service does than to report the right count in every list. */
const countProblem = ({ countField, unasked, plain }: ListMeanings) => {
  if (countField !== "list" && countField !== "project") return "another count";
  if (unasked !== "count") return "the count only if asked";
  return plain === "hides" ? "hidden clusters without parameters" : undefined;
};

describe("a list whose parameters and count may mean something else", () => {
  const samples = fc.sample(listing, { seed: 7, numRuns: Number(LIST_READINGS) });

  it("is never complete without a cluster if the project fits the default page, or the count is right", async () => {
    const lacking: Record<string, number> = { "the default page": 0, "the right count": 0 };
    let complete = 0;
    for (const { length, service } of samples) {
      const { entities, gap } = await readVerified(length, service);
      if (gap !== undefined) continue;
      complete += 1;
      if (entities.length === length) continue;
      const isWhole = length <= service.defaultSize && service.plain !== "hides";
      const kind = isWhole ? "the default page" : (countProblem(service) ?? "the right count");
      lacking[kind] = (lacking[kind] ?? 0) + 1;
      assert.ok(!isNamedRight(service), JSON.stringify({ length, service }));
    }
    const kinds = Object.entries(lacking).map(([kind, times]) => `${times} with ${kind}`);
    console.log(`      ${samples.length} readings, of which ${complete} look complete.`);
    console.log(`      Of these, a cluster is missing in ${kinds.join(", ")}.`);
    assert.ok(complete > samples.length / 5);
    assert.deepEqual([lacking["the default page"], lacking["the right count"]], [0, 0]);
  });

  it("is complete as documented, whatever the list without parameters is", async () => {
    const documented = samples.filter(
      ({ service }) => isNamedRight(service) && service.countField === "list",
    );
    assert.ok(documented.length > samples.length / 50);
    for (const { length, service } of documented) {
      const { entities, gap } = await readVerified(length, service);
      assert.deepEqual([gap, entities.length], [undefined, length], JSON.stringify(service));
    }
  });
});
