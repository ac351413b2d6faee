import assert from "node:assert/strict";
import fc from "fast-check";
import { ApiError } from "../../../provider/src/service/errors";
import {
  type Identity,
  type PageAddress,
  pagePath,
  readList,
} from "../../../provider/src/service/paging";
import type { ListPage } from "../../../provider/src/service/schemas";

const names = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `c${index + from}`);

/** A record of a list. Two records of one entity may differ in their content. */
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

/**
 * Parses pages, which are separated by `|`. A page consists of the names of its items, `>` for a next link and `/7`
 * for a total count of 7.
 */
function parsePages(text: string): ListPage<Item>[] {
  return text.split("|").map((each) => {
    const words = each.split(" ").filter(Boolean);
    const count = words.find((word) => word.startsWith("/"))?.slice(1);
    return page(
      words.filter((word) => /^\w/.test(word)),
      {
        ...(count === undefined ? {} : { totalCount: Number(count) }),
        ...(words.includes(">") ? { next: "?page=2" } : {}),
      },
    );
  });
}

/** A list that seems to change is read three times. */
const thrice = (pages: string) => [pages, pages, pages].join("|");

/** Why a list is incomplete. */
const reasons = {
  differs: /the service numbers its pages differently, or the list changed$/,
  isEmpty: /^2 items were read, but a request without .* returns no items/,
  hasMore: /without paging parameters returns further items/,
  loops: /^1 item was read, but the next links form a loop$/,
  repeats: /^2 items were read, but the linked pages repeat items$/,
  lacks: /^\d items were read, but the service reports a total of 5(, and reported 1 before)?$/,
  recounts: /^3 items .* the service reports a total of 3, and reported 4 before$/,
  ignores: /^2 items were read, but page 2 repeats .* ignore the parameters pageNum/,
  varies: /its pages vary in size, so items between them may be missing$/,
};

describe("a list", () => {
  for (const [what, pages, entities, requested] of [
    ["no item and a count of 0", "/0", "", 1],
    ["as many items as its count", "a b /5 | c d /5 | e /5", "a b c d e", 3],
    ["a last page without a link", "a > | b", "a b"],
    ["more items than its count", "a b /1 | c d /1 | e /1 | /1", "a b c d e"],
    ["items, but a count of 0", "a b /0 | c d /0 | e /0 | /0", "a b c d e"],
    ["one page without a count, proven by two requests", "a b c", "a b c", 3],
    ["an added item in a second reading", "b > | c | a b | a b > | c", "a b c"],
    ["no repeated item in a second reading", "a b > | b | a b > | c", "a b c"],
    ["enough linked items in a second reading", "a > /3 | b /3 | a > /3 | b c /3", "a b c"],
    ["one count in a second reading", "a b c /4 | c d /5 | a b c /5 | d e /5", "a b c d e", 4],
  ] as const) {
    it(`is complete with ${what}`, async () => {
      const { list, requests } = await readPages(...parsePages(pages));
      assert.deepEqual(list, { kind: "complete", entities: entities.split(" ").filter(Boolean) });
      if (requested !== undefined) assert.equal(requests.length, requested);
    });
  }

  for (const [what, pages, reason] of [
    ["a request without parameters returns other items", "c > | d | a b >", "differs"],
    ["a request without parameters returns no items", thrice("a > | b |"), "isEmpty"],
    ["only a request without parameters returns items", thrice("| a"), "hasMore"],
    ["next links form a loop", "a > | a >", "loops"],
    ["linked pages repeat items in three readings", thrice("a b > | b"), "repeats"],
    ["an empty page ends it before its count", thrice("a b c /5 | | a b c"), "lacks"],
    ["a page without a link ends it before its count", thrice("a b c > /5 | d | a b c"), "lacks"],
    ["a page with a lower count ends it", thrice("a b c /5 | /1 | a b c"), "lacks"],
    ["a request without parameters has a higher count", thrice("a b c | | a b c /5"), "lacks"],
    ["it has fewer items than its count in three readings", thrice(thrice("a b /5")), "lacks"],
    ["its count changes in three readings", thrice("a b /4 | c /3"), "recounts"],
    ["a page repeats earlier items", "a b | a b", "ignores"],
    ["a new item follows an empty page", "a b c | d | | x", "varies"],
    ["an earlier item follows an empty page", "a b c | d | | d", "varies"],
    ["pages vary in size", "a b c | d | e f g", "varies"],
  ] as const) {
    it(`is incomplete when ${what}`, async () => {
      const { list } = await readPages(...parsePages(pages));
      assert.ok(list.kind === "incomplete");
      assert.match(list.reason, reasons[reason]);
    });
  }

  const number = (pageNumber: number, pageSize: number) =>
    ({ kind: "number", pageNumber, pageSize }) as const;
  const first = number(1, 500);
  const second = { kind: "link", href: "?page=2" } as const;
  const unparameterized = { kind: "unparameterized" } as const;
  for (const [how, pages, expected] of [
    ["by page number", "a b /3 | c /3", [first, number(2, 2)]],
    ["by next link", "a > | b", [first, second, unparameterized]],
    ["again from page 1", "a > /2 | a /2 | a b /2", [first, second, first]],
    ["without parameters if it is empty", "", [first, unparameterized]],
    ["after a short page", "a b c", [first, number(2, 3), unparameterized]],
    [
      "after the last item of a short last page",
      "a b c d e | f g",
      [first, number(2, 5), number(3, 5), number(8, 1), unparameterized],
    ],
    [
      "after the last item in pages of a common size",
      "a b c d e f | g h",
      [first, number(2, 6), number(3, 6), number(3, 4), unparameterized],
    ],
  ] as const) {
    it(`is requested ${how}`, async () => {
      assert.deepEqual((await readPages(...parsePages(pages))).requests, expected);
    });
  }

  it("returns an item that was removed between two requests, so that another one was skipped", async () => {
    const { list } = await readPages(...parsePages("a b c /5 | e /4 | b c d /4 | e /4"));
    const superseded = [{ id: undefined, name: "a" }];
    assert.deepEqual(list, { kind: "complete", entities: ["b", "c", "d", "e"], superseded });
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

  describe("with an unreadable page", () => {
    const request = { method: "GET", path: "/clusters", attempts: 1 };
    const readUntil = (failingPage: number, error: Error) => {
      let pages = 0;
      return readNames(() => {
        pages += 1;
        return pages === failingPage ? Promise.reject(error) : Promise.resolve(page([`c${pages}`]));
      });
    };
    const refusal = new ApiError("not-found", request, "no such page");

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
      ["the service fails", 2, new ApiError("server-error", request, "503")],
      ["a bug occurs", 2, new TypeError("x is not a function")],
    ] as const) {
      it(`throws when ${what}`, async () => {
        await assert.rejects(readUntil(failingPage, error), error);
      });
    }
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

const someSize = fc.integer({ min: 1, max: 700 });

/** A service with random conventions. */
const anyService = fc
  .record({
    total: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 1500 })),
    /** Maximum and minimum number of items on a page, regardless of the request. */
    maxItems: fc.oneof(fc.integer({ min: 1, max: 20 }), someSize),
    minItems: fc.oneof(fc.constant(1), someSize),
    /** Whether the requested or the actual page size determines where page n starts. */
    stride: fc.constantFrom("requested" as const, "actual" as const),
    supportsSize: fc.boolean(),
    supportsNumber: fc.boolean(),
    sendsCount: fc.boolean(),
    sendsNext: fc.boolean(),
    /** The number of the first page. */
    firstPage: fc.constantFrom(0 as const, 1 as const),
    /**
     * How many items every other page omits, if the service supports the page size. Omissions of other
     * services cannot be detected.
     */
    omittedItems: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10 })),
  })
  .map((service) => ({ ...service, maxItems: Math.max(service.maxItems, service.minItems) }));

type RandomService = typeof anyService extends fc.Arbitrary<infer Service> ? Service : never;

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
            "the next link of the list leads to another path, or is not a URL (GET /api/clusters)",
      );
    });
  }
});
