import assert from "node:assert/strict";
import fc from "fast-check";
import { ApiError, errorCodes } from "../../../provider/src/api/errors";
import {
  type Identity,
  type PageAddress,
  pagePath,
  readList,
} from "../../../provider/src/api/paging";
import type { ListPage } from "../../../provider/src/api/schemas";

const names = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `c${index + from}`);

/** A record of a list. Its content is what two records of one entity may differ in. */
interface Item extends Identity {
  readonly content?: string;
}

/** Returns a page of items with these names; the empty name stands for an item without an identity. */
const page = (
  results: readonly (string | Item)[],
  more: Partial<ListPage<Item>> = {},
): ListPage<Item> => ({
  results: results.map((each) =>
    typeof each === "string" ? { id: undefined, name: each || undefined } : each,
  ),
  totalCount: undefined,
  next: undefined,
  ...more,
});

/** Reads a list; returns the names of its items. */
async function readNames(readPage: (address: PageAddress) => Promise<ListPage<Item>>) {
  const { entities, superseded, incomplete } = await readList(readPage);
  const named = { entities: entities.map(({ name = "" }) => name) };
  const older = superseded.length === 0 ? {} : { superseded };
  return incomplete === undefined
    ? ({ kind: "complete", ...named, ...older } as const)
    : ({ kind: "incomplete", ...named, ...older, reason: incomplete } as const);
}

/**
 * Reads a list whose pages have this order, regardless of the request. Further pages are empty, except for the
 * response to a request without parameters: the first page.
 */
async function readPages(...pages: ListPage<Item>[]) {
  const requests: PageAddress[] = [];
  const read = (address: PageAddress) => {
    requests.push(address);
    const further = address.kind === "unparameterized" ? page(pages[0]?.results ?? []) : page([]);
    return Promise.resolve(pages[requests.length - 1] ?? further);
  };
  return { list: await readNames(read), requests };
}

/** Reads a list whose readings all consist of these pages and the response to a request without parameters. */
async function readRepeatedly(...pages: ListPage<Item>[]) {
  const hasLast = pages.length === 3;
  const reading = hasLast ? pages : [...pages, page(pages[0]?.results ?? [])];
  return await readPages(...reading, ...reading, ...reading);
}

describe("a list", () => {
  it("is complete when it is empty and the total count is 0", async () => {
    const { list, requests } = await readPages(page([], { totalCount: 0 }));
    assert.deepEqual(list, { kind: "complete", entities: [] });
    assert.equal(requests.length, 1);
  });

  it("is read by page number until the total count is reached", async () => {
    const totalCount = 1200;
    const { list, requests } = await readPages(
      page(names(500), { totalCount }),
      page(names(500, 500), { totalCount }),
      page(names(200, 1000), { totalCount }),
    );
    assert.equal(list.kind, "complete");
    assert.equal(list.entities.length, 1200);
    assert.deepEqual(
      requests,
      [1, 2, 3].map((pageNumber) => ({ kind: "number", pageNumber, pageSize: 500 })),
    );
  });

  it("is read by next links until a page has none", async () => {
    const { list, requests } = await readPages(
      page(["a"], { next: "https://x/?cursor=2" }),
      page(["b"]),
    );
    assert.deepEqual(list, { kind: "complete", entities: ["a", "b"] });
    assert.deepEqual(requests[1], { kind: "link", href: "https://x/?cursor=2" });
  });

  it("is incomplete when a request without parameters returns items that its linked pages lack", async () => {
    const { list, requests } = await readPages(
      page(["c"], { next: "?page=2" }),
      page(["d"]),
      page(["a", "b"], { next: "?page=1" }),
    );
    assert.ok(list.kind === "incomplete");
    assert.match(list.reason, /the service numbers its pages differently, or the list changed$/);
    assert.deepEqual(requests[2], { kind: "unparameterized" });
  });

  it("is read again when a request without parameters returns an item that was added in the meantime", async () => {
    const linked = [page(["b"], { next: "?page=2" }), page(["c"])];
    const { list } = await readPages(
      ...linked,
      page(["a", "b"]),
      page(["a", "b"], { next: "?page=2" }),
      page(["c"]),
    );
    assert.deepEqual(list, { kind: "complete", entities: ["a", "b", "c"] });
  });

  it("is incomplete when a request without parameters returns no items", async () => {
    const reading = [page(["a"], { next: "?page=2" }), page(["b"]), page([])];
    const { list } = await readPages(...reading, ...reading, ...reading);
    assert.ok(list.kind === "incomplete");
    assert.match(list.reason, /^2 items were read, but a request without .* returns no items/);
  });

  it("is incomplete when next links form a loop", async () => {
    const next = "?p=1";
    const { list } = await readPages(page(["a"], { next }), page(["a"], { next }));
    assert.deepEqual(list, {
      kind: "incomplete",
      entities: ["a"],
      reason: "1 item was read, but the next links form a loop",
    });
  });

  it("is read again when linked pages repeat an item, because another one may be missing", async () => {
    const first = page(["a", "b"], { next: "?p=2" });
    const { list } = await readPages(first, page(["b"]), first, page(["c"]));
    assert.deepEqual(list, { kind: "complete", entities: ["a", "b", "c"] });
    const changing = await readPages(...[1, 2, 3].flatMap(() => [first, page(["b"])]));
    assert.ok(changing.list.kind === "incomplete");
    assert.match(changing.list.reason, /^2 items were read, but the linked pages repeat items$/);
  });

  it("is read again from page 1 when its linked pages have fewer items than the total count", async () => {
    const totalCount = 3;
    const first = page(["a"], { totalCount, next: "?p=2" });
    const { list, requests } = await readPages(
      first,
      page(["b"], { totalCount }),
      first,
      page(["b", "c"], { totalCount }),
    );
    assert.deepEqual(list, { kind: "complete", entities: ["a", "b", "c"] });
    assert.deepEqual(requests[2], requests[0]);
  });

  const first3of5 = page(["a", "b", "c"], { totalCount: 5 });
  for (const [what, pages] of [
    ["numbered page without a count", [first3of5, page([])]],
    ["linked page without a count", [{ ...first3of5, next: "?page=2" }, page(["d"])]],
    ["page with a lower count", [first3of5, page([], { totalCount: 1 })]],
    ["request without parameters", [page(["a", "b", "c"]), page([]), first3of5]],
  ] as const) {
    it(`is incomplete when a ${what} ends it before the highest total count`, async () => {
      const { list } = await readRepeatedly(...pages);
      assert.ok(list.kind === "incomplete", list.kind);
      assert.match(list.reason, /, but the service reports a total of 5$/);
    });
  }

  it("is incomplete when its total count changes in each of three readings", async () => {
    const changing = [page(names(2), { totalCount: 4 }), page(["c2"], { totalCount: 3 })];
    const { list } = await readPages(...[1, 2, 3].flatMap(() => changing));
    assert.ok(list.kind === "incomplete");
    assert.equal(
      list.reason,
      "3 items were read, but the service reports a total of 3, and reported 4 before",
    );
  });

  it("is incomplete when it does not end within 1,000 pages", async () => {
    const pages = Array.from({ length: 1000 }, (_, index) =>
      page([`c${index}`], { next: `?p=${index + 2}` }),
    );
    const { list, requests } = await readPages(...pages);
    assert.ok(list.kind === "incomplete");
    assert.match(list.reason, /^1000 items were read, but the list does not end within 1000 pages/);
    assert.equal(requests.length, 1000);

    const ending = await readPages(...pages.slice(0, 999), page(["last"]));
    assert.equal(ending.list.kind, "complete");
  });

  it("is incomplete when it does not end within 100,000 items", async () => {
    const first = page(names(50_000), { next: "?p=2" });
    const second = (count: number) => page(names(count, 50_000), { next: "?p=3" });
    const { list } = await readPages(first, second(50_001));
    assert.ok(list.kind === "incomplete");
    assert.match(list.reason, /does not end within 1000 pages and 100000 items$/);
    assert.equal((await readPages(first, second(50_000), page(["last"]))).list.kind, "complete");
  });

  describe("of which a page cannot be read", () => {
    const request = { method: "GET", path: "/clusters", attempts: 1 };
    const readUntil = (failingPage: number, error: Error) => {
      let pages = 0;
      return readNames(() => {
        pages += 1;
        return pages === failingPage ? Promise.reject(error) : Promise.resolve(page([`c${pages}`]));
      });
    };
    const refusal = new ApiError(errorCodes.notFound, request, "no such page");

    it("is incomplete when the service refuses a later page", async () => {
      const list = await readUntil(2, refusal);
      assert.ok(list.kind === "incomplete");
      assert.equal(
        list.reason,
        "1 item was read, but a further page could not be read: no such page (GET /clusters)",
      );
    });

    for (const [what, failingPage, error] of [
      ["the service refuses the first page", 1, refusal],
      ["the service fails", 2, new ApiError(errorCodes.server, request, "503")],
      ["a bug occurs", 2, new TypeError("x is not a function")],
    ] as const) {
      it(`throws when ${what}`, async () => {
        await assert.rejects(readUntil(failingPage, error), error);
      });
    }
  });

  it("is read again when the total count changed, and contains each entity once", async () => {
    const { list, requests } = await readPages(
      page(names(500), { totalCount: 600 }),
      page(names(101, 499), { totalCount: 601 }),
      page(names(500), { totalCount: 601 }),
      page(names(101, 500), { totalCount: 601 }),
    );
    assert.equal(list.kind, "complete");
    assert.equal(list.entities.length, 601);
    assert.equal(requests.length, 4);
  });

  it("is read again when an item was removed between two requests, so that another one was skipped", async () => {
    const { list } = await readPages(
      page(names(500), { totalCount: 600 }),
      page(names(99, 501), { totalCount: 599 }),
      page(names(500, 1), { totalCount: 599 }),
      page(names(99, 501), { totalCount: 599 }),
    );
    const superseded = [{ id: undefined, name: "c0" }];
    assert.deepEqual(list, { kind: "complete", entities: names(599, 1), superseded });
  });

  for (const totalCount of [0, 50]) {
    it(`is read until an empty page when the total count is ${totalCount} but the first page has 100 items`, async () => {
      const { list } = await readPages(
        page(names(100), { totalCount }),
        page(names(100, 100), { totalCount }),
        page(names(50, 200), { totalCount }),
        page([], { totalCount }),
      );
      assert.deepEqual(list, { kind: "complete", entities: names(250) });
    });
  }

  it("is incomplete when it has fewer items than the total count three times in a row", async () => {
    const short = page(names(2), { totalCount: 3 });
    const { list } = await readPages(...Array.from({ length: 10 }, () => short));
    assert.ok(list.kind === "incomplete");
    assert.equal(list.reason, "2 items were read, but the service reports a total of 3");
  });

  describe("without a total count and a next link", () => {
    it("makes two more requests to prove that a short page is the first and the last", async () => {
      const { list, requests } = await readPages(page(names(3)));
      assert.deepEqual(list, { kind: "complete", entities: names(3) });
      assert.deepEqual(requests[1], { kind: "number", pageNumber: 2, pageSize: 3 });
      assert.deepEqual(requests[2], { kind: "unparameterized" });
      assert.equal(requests.length, 3);
    });

    it("makes two more requests to prove that a full page is the first and the last", async () => {
      const { list, requests } = await readPages(page(names(500)));
      assert.equal(list.kind, "complete");
      assert.equal(requests.length, 3);
    });

    it("requests the page after the last item when the last page is short", async () => {
      const { list, requests } = await readPages(page(names(500)), page(names(101, 500)));
      assert.equal(list.kind, "complete");
      assert.deepEqual(requests[3], { kind: "number", pageNumber: 602, pageSize: 1 });
      const even = await readPages(page(names(500)), page(names(100, 500)));
      assert.deepEqual(even.requests[3], { kind: "number", pageNumber: 3, pageSize: 300 });
    });

    it("requests the list without parameters to prove that it is empty", async () => {
      assert.equal((await readPages()).list.kind, "complete");
      const reading = [page([]), page(["a"])];
      const { list, requests } = await readPages(...reading, ...reading, ...reading);
      assert.ok(list.kind === "incomplete");
      assert.match(list.reason, /without paging parameters returns further items/);
      assert.deepEqual(requests[1], { kind: "unparameterized" });
    });

    for (const [what, name] of [
      ["a new item", "x"],
      ["an item of an earlier page", "c12"],
    ] as const) {
      it(`is incomplete when ${what} follows an empty page`, async () => {
        const { list } = await readPages(page(names(9)), page(names(4, 9)), page([]), page([name]));
        assert.ok(list.kind === "incomplete");
        assert.match(list.reason, /its pages vary in size/);
      });
    }

    it("is incomplete when a page repeats earlier items", async () => {
      const { list } = await readPages(page(names(100)), page(names(100)));
      assert.ok(list.kind === "incomplete");
      assert.match(
        list.reason,
        /^100 items were read, but page 2 repeats .* ignore the parameters pageNum/,
      );
    });

    it("is incomplete when pages vary in size", async () => {
      const { list } = await readPages(page(names(5)), page(names(3, 5)), page(names(5, 8)));
      assert.ok(list.kind === "incomplete");
      assert.match(list.reason, /its pages vary in size, so items between them may be missing$/);
    });
  });

  describe("that describes one entity with different records", () => {
    const old = { id: "x", name: "old", content: "6.0.9" };
    const current = { id: "x", name: "new", content: "7.0.12" };
    const all = { totalCount: 1 };
    const contradictions: [what: string, reading: ListPage<Item>[], entities: string[]][] = [
      ["with one ID", [page([old, current], all)], ["old", "new"]],
      [
        "with one name",
        [
          page(
            [
              { ...old, name: "new" },
              { ...current, id: "y" },
            ],
            { totalCount: 2 },
          ),
        ],
        ["new", "new"],
      ],
      ["over linked pages", [page([old], { next: "?p=2" }), page([current])], ["old", "new"]],
      [
        "in the request without parameters",
        [page([current]), page([]), page([old])],
        ["new", "old"],
      ],
    ];
    for (const [what, reading, entities] of contradictions) {
      it(`is incomplete, and keeps each of them, ${what}`, async () => {
        const { list } = await readPages(...reading, ...reading, ...reading);
        assert.ok(list.kind === "incomplete");
        assert.deepEqual(list.entities, entities);
        assert.match(
          list.reason,
          /2 items were read, but the (?:service returned different|linked)/,
        );
      });
    }

    it("returns the records that a later reading no longer contains", async () => {
      const { list } = await readPages(page([old, current], all), page([current], all));
      assert.deepEqual(list, { kind: "complete", entities: ["new"], superseded: [old] });
    });

    it("is complete if a name is only the ID of another entity, or a record is repeated unchanged", async () => {
      const other = { ...current, id: "y", name: "x" };
      const { list } = await readPages(page([current, other, { ...other }], { totalCount: 2 }));
      assert.deepEqual(list, { kind: "complete", entities: ["new", "x"] });
    });
  });

  it("keeps records without an identity, and terminates", async () => {
    const nameless = await readNames(() => Promise.resolve(page(["", ""])));
    assert.ok(nameless.kind === "incomplete");
    assert.match(nameless.reason, /^4 items were read, but page 2 repeats earlier items/);
    const counted = await readNames(() => Promise.resolve(page(["", ""], { totalCount: 2 })));
    assert.deepEqual(counted, { kind: "complete", entities: ["", ""] });
  });

  it("compares the records of a page that has some without an identity", async () => {
    const readWith = (plain: string[]) => {
      const reading = [page(["a", ""]), page(["b", ""]), page([]), page(plain)];
      const pages = [...reading, ...reading, ...reading];
      return readNames(() => Promise.resolve(pages.shift() ?? page([])));
    };
    const entities = ["a", "", "b", ""];
    assert.deepEqual(await readWith(["a", ""]), { kind: "complete", entities });
    assert.equal((await readWith(["", "", ""])).kind, "incomplete");
  });
});

/** A service with random conventions. */
interface RandomService {
  readonly total: number;
  /** Maximum and minimum number of items on a page, regardless of the request. */
  readonly maxItems: number;
  readonly minItems: number;
  /** The page size that determines where page n starts: the requested or the actual one. */
  readonly stride: "requested" | "actual";
  readonly supportsSize: boolean;
  readonly supportsNumber: boolean;
  readonly sendsCount: boolean;
  readonly sendsNext: boolean;
  /** The number of the first page. */
  readonly firstPage: 0 | 1;
  /**
   * How many items every other page omits, if the service supports the page size. Omissions of other
   * services cannot be detected.
   */
  readonly omittedItems: number;
}

function respond(service: RandomService, address: PageAddress): ListPage<Item> {
  const { total, maxItems, minItems, stride, supportsSize, supportsNumber } = service;
  const cursor = address.kind === "link" ? Number(address.href) : undefined;
  const { firstPage } = service;
  const requested = address.kind === "number" ? address : { pageNumber: firstPage, pageSize: 500 };
  const size = supportsSize ? requested.pageSize : maxItems;
  const length = Math.max(minItems, Math.min(maxItems, size));
  const pageNumber = supportsNumber ? requested.pageNumber : firstPage;
  const start = cursor ?? (pageNumber - firstPage) * (stride === "requested" ? size : length);
  const honorsSize = supportsSize && minItems === 1;
  const omits = pageNumber % 2 === 0 && honorsSize && cursor === undefined;
  const omitted = omits ? Math.min(service.omittedItems, length - 1) : 0;
  const end = Math.min(total, start + length - omitted);
  const results = start < total ? names(end - start, start) : [];
  return page(results, {
    ...(service.sendsCount ? { totalCount: total } : {}),
    ...(service.sendsNext && end < total ? { next: String(end) } : {}),
  });
}

describe("a list of a service with random conventions", () => {
  const size = fc.integer({ min: 1, max: 700 });
  const anyService = fc
    .record({
      total: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 1500 })),
      maxItems: fc.oneof(fc.integer({ min: 1, max: 20 }), size),
      minItems: fc.oneof(fc.constant(1), size),
      stride: fc.constantFrom("requested" as const, "actual" as const),
      supportsSize: fc.boolean(),
      supportsNumber: fc.boolean(),
      sendsCount: fc.boolean(),
      sendsNext: fc.boolean(),
      firstPage: fc.constantFrom(0 as const, 1 as const),
      omittedItems: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10 })),
    })
    .map((service) => ({ ...service, maxItems: Math.max(service.maxItems, service.minItems) }));
  const readFrom = (service: RandomService) => {
    const counted = { requests: 0 };
    const read = (address: PageAddress) => {
      counted.requests += 1;
      return Promise.resolve(respond(service, address));
    };
    return readNames(read).then((list) => ({ list, ...counted }));
  };

  it("is complete only when every item was read", async () => {
    const property = fc.asyncProperty(anyService, async (service) => {
      const { list } = await readFrom(service);
      if (list.kind === "complete") assert.equal(list.entities.length, service.total);
    });
    await fc.assert(property, { numRuns: 5000 });
  });

  it("is complete when the service supports the paging parameters", async () => {
    const property = fc.asyncProperty(anyService, async (random) => {
      const maxItems = Math.max(2, random.maxItems);
      const service = {
        ...random,
        maxItems,
        minItems: 1,
        omittedItems: 0,
        supportsSize: true,
        supportsNumber: true,
        firstPage: 1 as const,
      };
      const { list, requests } = await readFrom(service);
      assert.equal(list.kind, "complete");
      const pages = Math.max(1, Math.ceil(service.total / Math.min(500, service.maxItems)));
      const endIsKnown = service.sendsCount || (service.sendsNext && pages > 1);
      const extraRequests = service.sendsCount ? 0 : endIsKnown ? 1 : 3;
      assert.ok(requests <= pages + extraRequests, `${requests} requests for ${pages} pages`);
    });
    await fc.assert(property, { numRuns: 2000 });
  });
});

describe("the path of a page", () => {
  const pathOf = (address: PageAddress) =>
    pagePath(address, "https://service.example", "/api/clusters");

  it("contains the number and size of the page", () => {
    const path = pathOf({ kind: "number", pageNumber: 2, pageSize: 500 });
    assert.equal(path, "/api/clusters?pageNum=2&itemsPerPage=500&includeCount=true");
    assert.equal(pathOf({ kind: "unparameterized" }), "/api/clusters");
  });

  for (const href of [
    ...["?cursor=2", "clusters?cursor=2", "/api/clusters?cursor=2"],
    "https://other.example/api/clusters?cursor=2",
  ]) {
    it(`has the query of the link ${href}, but not its origin`, () => {
      assert.equal(pathOf({ kind: "link", href }), "/api/clusters?cursor=2");
    });
  }

  for (const href of [
    ...["https://[::1", "mailto:a@b", "data:text/plain,clusters", "https:///"],
    ...["/api/groups/other/clusters?pageNum=2", "clusters/2", "../other", "//api/clusters", "/"],
  ]) {
    it(`is an error if the link is ${href}`, () => {
      assert.throws(
        () => pathOf({ kind: "link", href }),
        (error) =>
          error instanceof ApiError &&
          error.message ===
            `the next link of the list leads to another path, or is not a URL: "${href}" (GET /api/clusters)`,
      );
    });
  }
});
