import assert from "node:assert/strict";
import { type Handler, sendJson, withDigest } from "../../support/foreignService";
import { useForeignService } from "../useProvider";

const projectId = "p1";
const disable = { projectId, enabled: false };

const cluster = (name: string, dbVersion: unknown = "7.0.12") => ({
  name,
  dbVersion,
  connectionStrings: { standardSrv: `db+srv://${name}.ab1cd.db.example` },
});

/** Responds to requests for private IP mode, which is on, and for the list of clusters. */
const listing = (pageOf: (url: URL) => object): Handler =>
  withDigest(({ method, path }, response) => {
    const url = new URL(path, "https://foreign.example");
    const isMode = url.pathname.endsWith("/privateIpMode");
    sendJson(response, 200, isMode ? { enabled: method !== "PATCH" } : pageOf(url));
  });

/** A project with 600 clusters, of which the last 50 run `lastVersion`. Returns at most `maxItems` of them on a page. */
const sixHundred = (
  lastVersion: string,
  totalOf: (page: readonly object[], all: readonly object[]) => object,
  maxItems = 500,
) =>
  listing(({ searchParams }) => {
    const size = Math.min(maxItems, Number(searchParams.get("itemsPerPage") ?? 100));
    const start = (Number(searchParams.get("pageNum") ?? 1) - 1) * size;
    const clusters = Array.from({ length: 600 }, (_, index) =>
      cluster(`c${index}`, index < 550 ? "7.0.12" : lastVersion),
    );
    const results = clusters.slice(start, start + size);
    return { results, ...totalOf(results, clusters) };
  });

const total = (_page: unknown, all: readonly object[]) => ({ totalCount: all.length });
const totalOfPage = (page: readonly object[]) => ({ totalCount: page.length });
const cappedTotal = (max: number) => (_page: unknown, all: readonly object[]) => ({
  totalCount: Math.min(max, all.length),
});

describe("with a service that lists clusters differently, the provider", () => {
  const start = useForeignService();

  const refusals: [what: string, handler: Handler, reason: RegExp][] = [
    [
      "old clusters are on a later page",
      sixHundred("6.0.5", total),
      /50 of its 600[^]*c550 +6\.0\.5/,
    ],
    [
      "old clusters are on the last of many pages",
      sixHundred("6.0.5", total, 100),
      /50 of its 600[^]*c550 +6\.0\.5/,
    ],
    [
      "the total count is that of the page",
      sixHundred("6.0.5", totalOfPage),
      /may be incomplete\. 600 items were read, but its total count changed from 500 to 100\.\n[^]*c550 +6\.0\.5/,
    ],
    [
      "the total count is that of each of many pages",
      sixHundred("6.0.5", totalOfPage, 100),
      /may be incomplete\. 200 items were read, but the service reports a total of 100\.\n/,
    ],
    [
      "the total count is never above 500",
      sixHundred("6.0.5", cappedTotal(500)),
      /may be incomplete\. 600 items were read, but the service reports a total of 500\.\n/,
    ],
    [
      "the total count is never above 100",
      sixHundred("6.0.5", cappedTotal(100), 100),
      /may be incomplete\. 200 items were read, but the service reports a total of 100\.\n/,
    ],
    [
      "there is no total count",
      sixHundred("7.0.12", () => ({ count: 600 })),
      /may be incomplete\. 600 items were read, but the service reports no totalCount, so others may exist\.\n/,
    ],
    [
      "another record has the ID of an old one",
      listing(() => ({
        results: [
          { id: "x", ...cluster("old", "6.0.9") },
          { id: "x", ...cluster("new") },
        ],
        totalCount: 2,
      })),
      /may be incomplete\. 2 items were read, but page 1 repeats an ID or a name\.\n[^]*\n {2}old {2}6\.0\.9\n/,
    ],
    [
      "a version is not text",
      listing(({ searchParams }) => ({
        results:
          searchParams.get("pageNum") === "1" ? [cluster("fine"), cluster("od\u001b[2Kd", 7)] : [],
        totalCount: 2,
      })),
      /1 of its 2 clusters does not run version 7\.0\.0 or later:\n {2}od\\u\{1b\}\[2Kd {2}\(no version given\)\n/,
    ],
    [
      "a cluster without a name is old",
      listing(({ searchParams }) => ({
        results:
          searchParams.get("pageNum") === "1" ? [cluster("fine"), { dbVersion: "6.0.5" }] : [],
        totalCount: 2,
      })),
      /1 of its 2 clusters does not run version 7\.0\.0 or later:\n {2}cluster 2 of the list {2}6\.0\.5\n/,
    ],
  ];
  for (const [what, handler, reason] of refusals) {
    it(`refuses disabling in check and create if ${what}`, async () => {
      const { check, create, service } = await start("privateIpMode", handler);
      assert.match((await check(disable)).failures[0]?.reason ?? "", reason);
      await assert.rejects(create(disable), reason);
      assert.ok(service.requests.every(({ method }) => method !== "PATCH"));
    });
  }

  const allowed: [what: string, handler: Handler][] = [
    ["the whole list was read", sixHundred("7.0.12", total)],
    ["the service returns fewer items per page than requested", sixHundred("7.0.12", total, 100)],
    [
      "a cluster has no name",
      listing(({ searchParams }) => ({
        results:
          searchParams.get("pageNum") === "1" ? [cluster("fine"), { dbVersion: "7.0.5" }] : [],
        totalCount: 2,
      })),
    ],
  ];
  for (const [what, handler] of allowed) {
    it(`allows disabling if ${what}`, async () => {
      const { check, create, service } = await start("privateIpMode", handler);
      const { inputs, failures } = await check(disable);
      assert.deepEqual(failures, []);
      await create(inputs);
      assert.equal(service.requests.filter(({ method }) => method === "PATCH").length, 1);
    });
  }

  it("looks up a cluster on a later page without a total count", async () => {
    const { check } = await start(
      "clusterConnectionStrings",
      sixHundred("7.0.12", () => ({})),
    );
    const reasonFor = async (clusterName: string) =>
      (await check({ projectId, clusterName })).failures[0]?.reason;
    assert.equal(await reasonFor("c599"), undefined);
    assert.match(
      (await reasonFor("c600")) ?? "",
      /c600 of project p1 was not found, and the list of clusters may be incomplete \(600 items .* no totalCount/,
    );
  });

  for (const [what, totalOf] of [
    ["that of the page", totalOfPage],
    ["never above 500", cappedTotal(500)],
  ] as const) {
    it(`keeps a lookup of a later page in a refresh if the total count is ${what}`, async () => {
      const { read, service } = await start(
        "clusterConnectionStrings",
        sixHundred("7.0.12", totalOf),
      );
      const { id } = await read(`${projectId}/c1`, {});
      assert.equal(id, `${projectId}/c1`);
      assert.equal(service.requests.length, 2, "a challenge and a page");
      const recorded = {
        projectId,
        clusterName: "c599",
        recommended: "db+srv://old.ab1cd.db.example",
      };
      const kept = await read(`${projectId}/c599`, recorded);
      assert.equal(kept.props["recommended"], "db+srv://c599.ab1cd.db.example");
      await assert.rejects(
        read(`${projectId}/c600`, { ...recorded, clusterName: "c600" }),
        /may be incomplete .* Nothing is removed from the state/,
      );
    });
  }

  it("fails only the lookups of missing clusters if a record is not one of a cluster", async () => {
    const clusters = [cluster("fine"), cluster("odd", 7), null];
    const { check } = await start(
      "clusterConnectionStrings",
      listing(({ searchParams }) => ({
        results: searchParams.get("pageNum") === "1" ? clusters : [],
        totalCount: 3,
      })),
    );
    const reasonFor = async (clusterName: string) =>
      (await check({ projectId, clusterName })).failures[0]?.reason;
    assert.equal(await reasonFor("fine"), undefined);
    assert.equal(await reasonFor("odd"), undefined);
    assert.match(
      (await reasonFor("other")) ?? "",
      /other .* was not found, and 1 record in the list has no name\./,
    );
  });
});
