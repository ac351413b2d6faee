import assert from "node:assert/strict";
import fc from "fast-check";
import { type PageAddress, readList } from "../../../provider/src/api/paging";
import type { ListPage } from "../../../provider/src/api/schemas";

const names = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `c${index + from}`);
const same = (name: string) => name;
const page = (results: string[], more: Partial<ListPage<string>> = {}): ListPage<string> => ({
  results,
  totalCount: undefined,
  next: undefined,
  ...more,
});

/** Reads a list whose pages come in this order, whatever is asked for; further pages are empty. */
async function readPages(...pages: ListPage<string>[]) {
  const asked: PageAddress[] = [];
  const read = (address: PageAddress) => {
    asked.push(address);
    return Promise.resolve(pages[asked.length - 1] ?? page([]));
  };
  return { list: await readList(read, same), asked };
}

describe("a list", () => {
  it("is complete when it is empty and the count says so", async () => {
    const { list, asked } = await readPages(page([], { totalCount: 0 }));
    assert.deepEqual(list, { kind: "complete", entities: [] });
    assert.equal(asked.length, 1);
  });

  it("is read by page number until the total count is reached", async () => {
    const totalCount = 1200;
    const { list, asked } = await readPages(
      page(names(500), { totalCount }),
      page(names(500, 500), { totalCount }),
      page(names(200, 1000), { totalCount }),
    );
    assert.equal(list.kind, "complete");
    assert.equal(list.entities.length, 1200);
    assert.deepEqual(
      asked,
      [1, 2, 3].map((pageNumber) => ({ kind: "number", pageNumber, pageSize: 500 })),
    );
  });

  it("is read by next links until there is none", async () => {
    const { list, asked } = await readPages(
      page(["a"], { next: "https://x/?cursor=2" }),
      page(["b"]),
    );
    assert.deepEqual(list, { kind: "complete", entities: ["a", "b"] });
    assert.deepEqual(asked[1], { kind: "link", href: "https://x/?cursor=2" });
  });

  it("is incomplete if next links form a loop", async () => {
    const next = "?p=1";
    const { list } = await readPages(page(["a"], { next }), page(["a"], { next }));
    assert.equal(list.kind, "incomplete");
  });

  it("is read again if it changed in the meantime, and contains each entity once", async () => {
    const { list, asked } = await readPages(
      page(names(500), { totalCount: 600 }),
      page(names(101, 499), { totalCount: 601 }),
      page(names(500), { totalCount: 601 }),
      page(names(101, 500), { totalCount: 601 }),
    );
    assert.equal(list.kind, "complete");
    assert.equal(list.entities.length, 601);
    assert.equal(asked.length, 4);
  });

  it("is read again when an item was removed between two pages, which moves another past the reading", async () => {
    const { list } = await readPages(
      page(names(500), { totalCount: 600 }),
      page(names(99, 501), { totalCount: 599 }),
      page(names(500, 1), { totalCount: 599 }),
      page(names(99, 501), { totalCount: 599 }),
    );
    assert.deepEqual(list, { kind: "complete", entities: names(599, 1) });
  });

  for (const totalCount of [0, 50]) {
    it(`goes on to an empty page when 100 items were read of ${totalCount} counted`, async () => {
      const { list } = await readPages(
        page(names(100), { totalCount }),
        page(names(100, 100), { totalCount }),
        page(names(50, 200), { totalCount }),
      );
      assert.deepEqual(list, { kind: "complete", entities: names(250) });
    });
  }

  it("is incomplete when fewer are read than the service counts, three times in a row", async () => {
    const short = page(names(2), { totalCount: 3 });
    const { list } = await readPages(...Array.from({ length: 10 }, () => short));
    assert.ok(list.kind === "incomplete");
    assert.equal(list.reason, "2 were read, and the service counts 3");
  });

  describe("without a count and a next link", () => {
    it("makes one more request to prove that a short page is the last", async () => {
      const { list, asked } = await readPages(page(names(3)));
      assert.deepEqual(list, { kind: "complete", entities: names(3) });
      assert.deepEqual(asked[1], { kind: "number", pageNumber: 2, pageSize: 3 });
      assert.equal(asked.length, 2);
    });

    it("makes one more request to prove that a full page is the last", async () => {
      const { list, asked } = await readPages(page(names(500)));
      assert.equal(list.kind, "complete");
      assert.equal(asked.length, 2);
    });

    it("reads the page right after the last item of a list that ends within a page", async () => {
      const { list, asked } = await readPages(page(names(500)), page(names(101, 500)));
      assert.equal(list.kind, "complete");
      assert.deepEqual(asked[3], { kind: "number", pageNumber: 602, pageSize: 1 });
    });

    it("requests the list without parameters to prove that it is empty", async () => {
      assert.equal((await readPages()).list.kind, "complete");
      const { list, asked } = await readPages(page([]), page(["a"]));
      assert.equal(list.kind, "incomplete");
      assert.deepEqual(asked[1], { kind: "plain" });
    });

    it("is incomplete when a page repeats earlier items", async () => {
      const { list } = await readPages(page(names(100)), page(names(100)));
      assert.ok(list.kind === "incomplete");
      assert.match(
        list.reason,
        /^100 were read, and page 2 repeats .* ignore the parameters pageNum/,
      );
    });

    it("is incomplete when pages vary in size", async () => {
      const { list } = await readPages(page(names(5)), page(names(3, 5)), page(names(5, 8)));
      assert.equal(list.kind, "incomplete");
    });
  });

  it("keeps records without an identity, and terminates", async () => {
    const nameless = await readList<string>(
      () => Promise.resolve(page(["x", "x"])),
      () => undefined,
    );
    assert.equal(nameless.kind, "incomplete");
    const counted = await readList<string>(
      () => Promise.resolve(page(["x", "x"], { totalCount: 2 })),
      () => undefined,
    );
    assert.deepEqual(counted, { kind: "complete", entities: ["x", "x"] });
  });
});

/** A service whose conventions are drawn at random. */
interface ForeignService {
  readonly total: number;
  /** Most and least items of a page, whatever is asked for. */
  readonly most: number;
  readonly least: number;
  /** Where page n starts: behind n - 1 pages of the size asked for, or of the service's own. */
  readonly stride: "asked" | "own";
  readonly understandsSize: boolean;
  readonly understandsNumber: boolean;
  readonly givesCount: boolean;
  readonly givesNext: boolean;
  /**
   * Items of every other page that are held back by a service that understands the size. One that
   * does not gives no sign at all of what it holds back.
   */
  readonly shrinksBy: number;
}

function answer(service: ForeignService, address: PageAddress): ListPage<string> {
  const { total, most, least, stride, understandsSize, understandsNumber } = service;
  const cursor = address.kind === "link" ? Number(address.href) : undefined;
  const numbered = address.kind === "number" ? address : { pageNumber: 1, pageSize: 500 };
  const size = understandsSize ? numbered.pageSize : most;
  const length = Math.max(least, Math.min(most, size));
  const pageNumber = understandsNumber ? numbered.pageNumber : 1;
  const start = cursor ?? (pageNumber - 1) * (stride === "asked" ? size : length);
  const honoursSize = understandsSize && least === 1;
  const shrinks = pageNumber % 2 === 0 && honoursSize && cursor === undefined;
  const held = shrinks ? Math.min(service.shrinksBy, length - 1) : 0;
  const end = Math.min(total, start + length - held);
  const results = start < total ? names(end - start, start) : [];
  return page(results, {
    ...(service.givesCount ? { totalCount: total } : {}),
    ...(service.givesNext && end < total ? { next: String(end) } : {}),
  });
}

describe("a list of a service with other conventions", () => {
  const size = fc.integer({ min: 1, max: 700 });
  const foreign = fc
    .record({
      total: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 1500 })),
      most: fc.oneof(fc.integer({ min: 1, max: 20 }), size),
      least: fc.oneof(fc.constant(1), size),
      stride: fc.constantFrom("asked" as const, "own" as const),
      understandsSize: fc.boolean(),
      understandsNumber: fc.boolean(),
      givesCount: fc.boolean(),
      givesNext: fc.boolean(),
      shrinksBy: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10 })),
    })
    .map((service) => ({ ...service, most: Math.max(service.most, service.least) }));
  const readFrom = (service: ForeignService) => {
    const counted = { requests: 0 };
    const read = (address: PageAddress) => {
      counted.requests += 1;
      return Promise.resolve(answer(service, address));
    };
    return readList(read, same).then((list) => ({ list, ...counted }));
  };

  it("is complete only when every item was read", async () => {
    const property = fc.asyncProperty(foreign, async (service) => {
      const { list } = await readFrom(service);
      if (list.kind === "complete") assert.equal(list.entities.length, service.total);
    });
    await fc.assert(property, { numRuns: 5000 });
  });

  it("is complete when the service understands the parameters, whatever else it gives", async () => {
    const property = fc.asyncProperty(foreign, async (drawn) => {
      const most = Math.max(2, drawn.most);
      const service = {
        ...drawn,
        most,
        least: 1,
        shrinksBy: 0,
        understandsSize: true,
        understandsNumber: true,
      };
      const { list, requests } = await readFrom(service);
      assert.equal(list.kind, "complete");
      const pages = Math.max(1, Math.ceil(service.total / Math.min(500, service.most)));
      const shown = service.givesCount || (service.givesNext && pages > 1);
      const price = shown ? 0 : 2;
      assert.ok(requests <= pages + price, `${requests} requests for ${pages} pages`);
    });
    await fc.assert(property, { numRuns: 2000 });
  });
});
