import assert from "node:assert/strict";
import fc from "fast-check";
import { disableRefusal } from "../../provider/src/privateIpMode/guard";
import { ApiError } from "../../provider/src/service/requestErrors";
import { type ListPage, readList } from "../../provider/src/service/paging";
import { type ClusterRecord, clusterReader } from "../../provider/src/service/schemas";
import { defaultListNames } from "../../provider/src/settings/settings";
import { mutated } from "./inputs";
import { property } from "./properties";

const oldRecord = { name: "old", dbVersion: "6.0.5", dbMajorVersion: "6.0" };

/** The values that an arbitrary generates. */
type Generated<Each> = Each extends fc.Arbitrary<infer Value> ? Value : never;

/** What a service does wrong in the response to one request for a page. */
const pageFault = fc.record({
  /** Counts the requests for pages, from 0. */
  request: fc.nat({ max: 4 }),
  /** `refuse`: a 404. `repeat`: the last item again. `shorten`: no items at the end. `lose`: none in the middle. */
  kind: fc.constantFrom<"refuse" | "repeat" | "shorten" | "lose">(
    "refuse",
    "repeat",
    "shorten",
    "lose",
  ),
});

/** An additional record at the end of a response, about a cluster that another record may describe, too. */
const extraRecord = fc.record({
  /** Counts the requests for pages, from 0. */
  request: fc.nat({ max: 8 }),
  /** The index of the cluster. */
  cluster: fc.nat({ max: 15 }),
  /** What the record has in common with the cluster's record. */
  same: fc.constantFrom<"id" | "name" | "nothing">("id", "name", "nothing"),
  isOld: fc.boolean(),
});

/** A project, and how the service lists its clusters. */
const listedProject = fc.record({
  clusters: fc.integer({ min: 1, max: 16 }),
  /** The index of the cluster that prevents disabling; null for none. */
  oldCluster: fc.option(fc.nat({ max: 15 })),
  /** The record of that cluster. */
  oldRecord: fc.oneof(fc.constant<unknown>(oldRecord), mutated(fc.constant(oldRecord))),
  /** Whether a page has the count of the list. */
  hasCount: fc.boolean(),
  maxItems: fc.integer({ min: 2, max: 5 }),
  faults: fc.array(pageFault, { maxLength: 3 }),
  hasIds: fc.boolean(),
  extras: fc.array(extraRecord, { maxLength: 3 }),
});

type ExtraRecord = Generated<typeof extraRecord>;
type ListedProject = Generated<typeof listedProject>;

/** Whether the record describes a cluster in the list. */
function isOfCluster({ clusters, hasIds }: ListedProject, { cluster, same }: ExtraRecord): boolean {
  return cluster < clusters && same !== "nothing" && (same !== "id" || hasIds);
}

const readRecord = clusterReader("db");

/** A service that lists the clusters of one project. */
class ListingService {
  readonly #project: ListedProject;
  /** The indexes of the clusters that were listed since the last request for page 1. */
  readonly listed = new Set<number>();
  #pages = 0;
  /** Whether a record that prevents disabling was listed since then. */
  hasListedOld = false;

  constructor(project: ListedProject) {
    this.#project = project;
  }

  /** Returns a page. Throws to refuse it. */
  page(pageNumber: number | undefined): ListPage<ClusterRecord> {
    const { clusters, hasCount, faults, maxItems } = this.#project;
    if (pageNumber === 1) {
      this.listed.clear();
      this.hasListedOld = false;
    }
    const number = this.#pages;
    const kinds = faults.filter(({ request }) => request === number).map(({ kind }) => kind);
    this.#pages += 1;
    if (kinds.includes("refuse")) {
      throw new ApiError("not-found", { method: "GET", path: "/", attempt: 1 }, "no such page");
    }
    const first = ((pageNumber ?? 1) - 1) * maxItems;
    const start = kinds.includes("repeat") ? Math.max(0, first - 1) : first;
    const length = kinds.includes("shorten") ? Math.max(1, Math.floor(maxItems / 2)) : maxItems;
    const end = Math.min(start + length, clusters);
    const lost = kinds.includes("lose") ? Math.floor((start + end) / 2) : undefined;
    const indexes = Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i).filter(
      (index) => index !== lost,
    );
    for (const index of indexes) this.listed.add(index);
    if (indexes.includes(this.#project.oldCluster ?? -1)) this.hasListedOld = true;
    const extras = this.#project.extras.filter(({ request }) => request === number);
    const results = [
      ...indexes.map((index) => this.#record(index)),
      ...extras.map((extra) => this.#extra(extra)),
    ];
    return { results: results.map(readRecord), count: hasCount ? clusters : undefined };
  }

  #record(index: number): unknown {
    const isOld = index === this.#project.oldCluster;
    if (isOld) return this.#project.oldRecord;
    return { ...this.#identity(index), dbVersion: "7.0.12" };
  }

  #identity(index: number): { id?: string; name: string } {
    return { ...(this.#project.hasIds ? { id: `id${index}` } : {}), name: `c${index}` };
  }

  #extra(extra: ExtraRecord): object {
    const { cluster, same, isOld } = extra;
    if (isOld) this.hasListedOld = true;
    if (isOfCluster(this.#project, extra)) this.listed.add(cluster);
    const { id, name } = this.#identity(cluster);
    return {
      id: same === "id" ? id : `other${cluster}`,
      // IDs and names are separate, so the ID of one cluster may be the name of another.
      name: same === "name" ? name : (id ?? `other${cluster}`),
      dbVersion: isOld ? "6.0.9" : "7.0.13",
    };
  }
}

/** Returns whether the guard allows disabling. */
async function allowsDisabling(service: ListingService): Promise<boolean> {
  const read = async (pageNumber: number | undefined) => Promise.resolve(service.page(pageNumber));
  try {
    const { entities, gap } = await readList(read, defaultListNames, "emptyPage");
    return disableRefusal("p", { records: entities, gap }) === undefined;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return false;
  }
}

describe("lists of clusters that change while they are read", () => {
  property("allow disabling only if every cluster was listed and none of them prevents it", {
    inputs: listedProject,
    check: async (project) => {
      const service = new ListingService(project);
      const isAllowed = await allowsDisabling(service);
      const { clusters, oldCluster, hasCount, faults, extras } = project;
      const hasOldCluster = oldCluster !== null && oldCluster < clusters;
      if (isAllowed) {
        assert.ok(!service.hasListedOld, "allowed although a record prevents it");
        // Nothing distinguishes additional clusters from clusters of the list.
        if (extras.every((extra) => isOfCluster(project, extra))) {
          assert.ok(!hasOldCluster, "allowed although a cluster prevents it");
          assert.equal(service.listed.size, clusters, "allowed without the whole list");
        }
      }
      // Otherwise a guard that refuses everything would pass.
      const isDocumented = hasCount && faults.length === 0 && extras.length === 0;
      if (isDocumented) assert.equal(isAllowed, !hasOldCluster);
    },
  });
});
