import assert from "node:assert/strict";
import { ApiError } from "../../../provider/src/service/requestErrors";
import {
  type End,
  type Identity,
  type ListPage,
  pageRequest,
  readList,
} from "../../../provider/src/service/paging";
import { defaultListNames } from "../../../provider/src/settings/settings";

/** A record of a list. Two records of one entity may differ in their content. */
interface Item extends Identity {
  readonly content?: string;
}

/** Returns a page of items with these names; the empty name stands for an item without an identity. */
const page = (results: readonly (string | Item)[], totalCount?: number): ListPage<Item> => ({
  results: results.map((each) =>
    typeof each === "string" ? { id: undefined, name: each || undefined } : each,
  ),
  count: totalCount,
});

/** Reads a list with these pages in each reading. Returns the names of items, and the page numbers requested. */
async function readPages(
  readings: readonly ListPage<Item>[][],
  until: End = "count",
  names = defaultListNames,
) {
  const requests: (number | undefined)[] = [];
  const read = (number: number | undefined) => {
    requests.push(number);
    const pages = readings[requests.filter((each) => each === 1).length - 1] ?? readings.at(-1);
    return Promise.resolve(pages?.[(number ?? 1) - 1] ?? page([], pages?.at(-1)?.count));
  };
  const { entities, gap } = await readList(read, names, until);
  return {
    entities: entities.map(({ name = "" }) => name).join(" "),
    gap: gap?.reason,
    advice: gap?.advice,
    requests,
  };
}

/** Readings are separated by `||` and their pages by `|`. A page has names, and `/7` for a total count of 7. */
function parse(text: string): ListPage<Item>[][] {
  return text.split("||").map((reading) =>
    reading.split("|").map((each) => {
      const words = each.split(" ").filter(Boolean);
      const count = words.find((word) => word.startsWith("/"))?.slice(1);
      const items = words.filter((word) => /^\w/.test(word));
      return page(items, count === undefined ? undefined : Number(count));
    }),
  );
}

describe("a list", () => {
  for (const [what, pages, entities, requests] of [
    ["no item and a count of 0", "/0", "", [1]],
    ["as many items as its count", "a b /5 | c d /5 | e /5", "a b c d e", [1, 2, 3]],
    ["fewer items on a page in between", "a b /4 | c /4 | d /4", "a b c d", [1, 2, 3]],
    ["an added item in a second reading", "a /2 | a /3 || x a /3 | b /3", "x a b", [1, 2, 1, 2]],
    ["one count in a second reading", "a /2 | b /1 || a b /2", "a b", [1, 2, 1]],
  ] as const) {
    it(`is complete with ${what}`, async () => {
      const complete = { entities, gap: undefined, advice: undefined };
      assert.deepEqual(await readPages(parse(pages)), { ...complete, requests });
      const end = (requests.at(-1) ?? 0) + 1;
      const read = await readPages(parse(pages), "emptyPage");
      // Without an item, the first page is already empty.
      const last = entities === "" ? [] : [end];
      assert.deepEqual(read, { ...complete, requests: [...requests, ...last, undefined] });
    });
  }

  for (const [what, pages, reason] of [
    ["an empty page ends it before its count", "a b c /5 | /5", "a total of 5"],
    ["a page has a lower count", "a b c /5 | d /4", "its total count changed from 5 to 4"],
    ["a page has a higher count", "a b c /5 | d /6", "its total count changed from 5 to 6"],
    ["a later page has no count", "a b c /5 | d", "its total count changed from 5 to none"],
    ["only a later page has a count", "a b c | d /4", "its total count changed from none to 4"],
    ["it has more items than its count", "a b c /4 | d e /4", "a total of 4"],
    ["it has items, but a count of 0", "a b /0", "a total of 0"],
    ["a page repeats an item", "a b /3 | b /3", "page 2 repeats an ID or a name"],
    ["one page repeats an item", "a b a /3", "page 1 repeats an ID or a name"],
  ] as const) {
    it(`is incomplete if ${what} in two readings`, async () => {
      const { gap = "", advice = "", requests } = await readPages(parse(pages));
      assert.ok(gap.endsWith(reason), gap);
      assert.match(
        advice,
        /^Try again\. If the error persists, compare clouddb:pageParameter, .*: https:.*\.md$/,
      );
      assert.equal(requests.filter((each) => each === 1).length, 2);
    });
  }

  it("says how many items were read", async () => {
    const reason = "but the service reports a total of 2";
    assert.equal((await readPages(parse("a /2"))).gap, `1 item was read, ${reason}`);
    assert.equal((await readPages(parse("a b c /2"))).gap, `3 items were read, ${reason}`);
  });

  describe("for a guard", () => {
    for (const [what, pages, reason] of [
      ["the count is that of each page", "a b /2 | c /1", "changed from 2 to 1"],
      ["the count is that of each page, of equal size", "a b /2 | c d /2", "a total of 2"],
      ["the count has a maximum", "a b /2 | c /2", "a total of 2"],
      ["the service ignores the page number", "a b /2 | a b /2", "page 2 repeats an ID or a name"],
      ["the page after the last item has another count", "a b /2 | /0", "changed from 2 to 0"],
    ] as const) {
      it(`is incomplete if ${what}, although a lookup accepts it`, async () => {
        const { gap = "" } = await readPages(parse(pages), "emptyPage");
        assert.ok(gap.endsWith(reason), gap);
        assert.equal((await readPages(parse(pages))).gap, undefined);
      });
    }

    it("is incomplete if items without an identity follow its count", async () => {
      const { gap } = await readPages([[page(["", ""], 2), page(["", ""], 2)]], "emptyPage");
      assert.match(gap ?? "", /^4 items were read, but .* a total of 2$/);
    });
  });

  describe("that is compared with the list without parameters", () => {
    const [a, b, nameless] = [
      { id: "a", name: "a" },
      { id: "b", name: "b" },
      { id: undefined, name: undefined },
    ];
    const named = { id: undefined, name: "c" };
    /** Reads a list with one page, its count, and another page or error without parameters. */
    const compare = async (
      listed: readonly Item[],
      plain: readonly Item[] | Error,
      plainCount?: number,
    ) => {
      const requests: (number | undefined)[] = [];
      const read = (number: number | undefined) => {
        requests.push(number);
        if (number !== undefined)
          return Promise.resolve(page(number === 1 ? listed : [], listed.length));
        return plain instanceof Error
          ? Promise.reject(plain)
          : Promise.resolve(page(plain, plainCount));
      };
      const { gap, entities } = await readList(read, defaultListNames, "emptyPage");
      return { gap: gap?.reason, requests, entities };
    };

    for (const [what, listed, plain, count, problem] of [
      ["it lacks one record of it", [b], [a, b], 2, "1 item was read, but … has 1 other"],
      ["it lacks all records of it", [], [a, b], 2, "0 items were read, but … has 2 others"],
      ["it has another record", [a], [b], undefined, "1 item was read, but … has 1 other"],
      [
        "a record without an ID is different",
        [{ ...named, content: "6.0.9" }],
        [named],
        1,
        "1 item was read, but … has 1 other",
      ],
      [
        "a record without an identity is missing",
        [nameless],
        [nameless, { ...nameless }],
        undefined,
        "1 item was read, but … has 1 other",
      ],
      ["the count of it is greater", [a], [a], 4, "1 item was read, but … reports a total of 4"],
      ["it is empty", [a, b], [], undefined, "2 items were read, but … is empty"],
    ] as const) {
      it(`is incomplete if ${what} in two readings`, async () => {
        const { gap, requests } = await compare(listed, plain, count);
        assert.equal(gap, problem.replace("…", "the list without parameters"));
        assert.equal(requests.filter((each) => each === undefined).length, 2);
      });
    }

    for (const [what, plain, count] of [
      ["fewer records and another order", [nameless, b], undefined],
      ["fewer records and their count", [b], 1],
      ["a count of 0", [b, a], 0],
    ] as const) {
      it(`is complete if that has ${what}`, async () => {
        const { gap, requests } = await compare([a, b, named, nameless], plain, count);
        assert.deepEqual([gap, requests], [undefined, [1, 2, undefined]]);
      });
    }

    it("keeps every record of both, because one may have changed meanwhile", async () => {
      const changed = { ...b, content: "new" };
      const { gap, entities } = await compare([a, b, nameless], [nameless, changed, a], 3);
      assert.equal(gap, undefined);
      assert.deepEqual(entities, [a, b, nameless, changed]);
      const incomplete = await compare([nameless], [{ ...nameless }, named, a], 3);
      assert.deepEqual(incomplete.entities, [nameless, named, a]);
    });

    it("is incomplete if the service refuses it, and fails if the service does", async () => {
      const request = { method: "GET", path: "/clusters", attempt: 1 } as const;
      const refused = new ApiError("invalid-field", request, "no page");
      const { gap } = await compare([a], refused);
      assert.equal(
        gap,
        "1 item was read, but the list without parameters could not be read: no page (GET /clusters)",
      );
      const failed = new ApiError("server-error", request, "503");
      await assert.rejects(compare([a], failed), failed);
    });
  });

  describe("without a count", () => {
    for (const [what, pages, entities, requests] of [
      ["until a page is empty", "a b | c |", "a b c", [1, 2, 3]],
      ["until a page brings nothing new", "a b | a b", "a b", [1, 2]],
      ["over a page that repeats some items", "a b | b c |", "a b c", [1, 2, 3]],
    ] as const) {
      it(`is read once, ${what}, and is incomplete`, async () => {
        for (const until of ["count", "emptyPage"] as const) {
          const read = await readPages(parse(pages), until);
          assert.deepEqual([read.entities, read.requests], [entities, requests]);
          assert.match(read.gap ?? "", /, but the service reports no totalCount, so/);
        }
      });
    }

    it("names the settings, because trying again cannot help", async () => {
      const read = () => Promise.resolve(page(["a"]));
      const names = { ...defaultListNames, countField: "total" };
      const { gap } = await readList(read, names, "emptyPage");
      assert.match(gap?.reason ?? "", /the service reports no total, so/);
      assert.match(
        gap?.advice ?? "",
        /^Without a count, .* clouddb:countParameter and clouddb:countField with/,
      );
    });

    it("ends if its items have no identity", async () => {
      assert.deepEqual((await readPages([[page([""]), page([""])]])).requests, [1]);
    });
  });

  describe("with an unreadable page", () => {
    const request = { method: "GET", path: "/clusters", attempt: 1 } as const;
    const readUntil = (failingPage: number, error: Error) =>
      readList(
        (number) =>
          number === failingPage ? Promise.reject(error) : Promise.resolve(page([`c${number}`], 9)),
        defaultListNames,
        "count",
      );
    const refusal = new ApiError("not-found", request, "no such page");

    for (const code of [
      "not-found",
      "invalid-field",
      "media-type",
      "service-refused",
      "method-not-allowed",
      "malformed-response",
    ] as const) {
      it(`is incomplete if the service answers a later page with ${code}`, async () => {
        const refused = new ApiError(code, request, "no such page");
        assert.equal(
          (await readUntil(2, refused)).gap?.reason ?? "",
          "1 item was read, but page 2 could not be read: no such page (GET /clusters)",
        );
      });
    }

    for (const [what, failingPage, error] of [
      ["the service refuses the first page", 1, refusal],
      ["the service fails", 2, new ApiError("server-error", request, "503")],
      ["a bug occurs", 2, new TypeError("x is not a function")],
    ] as const) {
      it(`throws if ${what}`, async () => {
        await assert.rejects(readUntil(failingPage, error), error);
      });
    }
  });

  describe("that describes one entity with different records", () => {
    const old = { id: "x", name: "old", content: "6.0.9" };
    const current = { id: "x", name: "new", content: "7.0.12" };
    for (const [what, records] of [
      ["one ID", [old, current]],
      [
        "one name",
        [
          { ...old, name: "new" },
          { ...current, id: "y" },
        ],
      ],
    ] as const) {
      it(`is incomplete, and keeps each of them, with ${what}`, async () => {
        const { entities, gap } = await readPages([[page(records, 2)]]);
        assert.equal(entities, records.map(({ name }) => name).join(" "));
        assert.match(gap ?? "", /^2 items were read, but page 1 repeats an ID or a name$/);
      });
    }

    it("keeps a record once that is repeated unchanged", async () => {
      const { entities } = await readPages([[page([old, { ...old }], 2)]]);
      assert.equal(entities, "old");
    });

    it("is complete if a name is only the ID of another entity", async () => {
      const { gap } = await readPages([[page([current, { id: "y", name: "x" }], 2)]]);
      assert.equal(gap, undefined);
    });
  });

  it("is complete with items without an identity", async () => {
    const { entities, gap } = await readPages([[page(["", "a", ""], 3)]], "emptyPage");
    assert.deepEqual([entities, gap], [" a ", undefined]);
  });
});

describe("the path of a page", () => {
  it("contains the number of the page and the maximum number of items", () => {
    const path = "/api/clusters?pageNum=2&itemsPerPage=500&includeCount=true";
    assert.equal(pageRequest({ path: "/api/clusters" }, 2, defaultListNames).path, path);
  });

  it("has no parameter without a number", () => {
    const list = { path: "/api/clusters" };
    assert.deepEqual(pageRequest(list, undefined, defaultListNames), list);
  });

  it("uses the names of the settings, and keeps which setting each is from", () => {
    const names = {
      pageParameter: "page",
      pageSizeParameter: "$limit",
      countParameter: "count",
      countField: "total",
    };
    assert.deepEqual(pageRequest({ path: "/api/clusters" }, 2, names), {
      path: "/api/clusters?page=2&%24limit=500&count=true",
      origins: { page: "pageParameter", $limit: "pageSizeParameter", count: "countParameter" },
    });
  });
});
