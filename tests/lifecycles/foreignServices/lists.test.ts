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

/** A project with 600 clusters. The count and the `next` link of its list have other names. */
const otherNames = (oldAt?: number) =>
  listing(({ searchParams }) => {
    const size = Number(searchParams.get("itemsPerPage") ?? 100);
    const start = (Number(searchParams.get("pageNum") ?? 1) - 1) * size;
    const clusters = Array.from({ length: 600 }, (_, index) =>
      cluster(`c${index}`, index === oldAt ? "6.0.5" : "7.0.12"),
    );
    return { results: clusters.slice(start, start + size), count: 600 };
  });

describe("with a service that lists clusters differently, the provider", () => {
  const start = useForeignService();

  const refusals: [what: string, handler: Handler, reason: RegExp][] = [
    ["an old cluster is on a later page without a count", otherNames(550), /c550 +6\.0\.5/],
    [
      "another record has the ID of an old one",
      listing(() => ({
        results: [
          { id: "x", ...cluster("old", "6.0.9") },
          { id: "x", ...cluster("new") },
        ],
        totalCount: 1,
      })),
      /may be incomplete\. 2 items were read, but the service returned different records with the same ID or name\.\n[^]*\n {2}old {2}6\.0\.9\n/,
    ],
    [
      "a next link leads to the clusters of another project",
      listing(({ pathname }) => ({
        results: [cluster(pathname.includes(projectId) ? "own" : "foreign")],
        links: [{ rel: "next", href: "/api/service/v1.0/groups/p2/clusters" }],
      })),
      /may be incomplete\. 1 item was read, but [^\n]*the next link of the list leads to another path/,
    ],
    [
      "a record is malformed",
      listing(() => ({ results: [cluster("fine"), cluster("od\u001b[2Kd", 7)], totalCount: 2 })),
      /1 of its 2 clusters could not be read:\n {2}od\\u\{1b\}\[2Kd {2}\(not a cluster record: dbVersion/,
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

  it("allows disabling if the whole list was read without a count", async () => {
    const { check, create, service } = await start("privateIpMode", otherNames());
    const { inputs, failures } = await check(disable);
    assert.deepEqual(failures, []);
    await create(inputs);
    assert.equal(service.requests.filter(({ method }) => method === "PATCH").length, 1);
  });

  it("fails only the lookups of clusters whose record is malformed or missing", async () => {
    const clusters = [cluster("fine"), cluster("odd", 7), null];
    const { check } = await start(
      "clusterConnectionStrings",
      listing(() => ({ results: clusters, totalCount: 3 })),
    );
    const reasonFor = async (clusterName: string) =>
      (await check({ projectId, clusterName })).failures[0]?.reason;
    assert.equal(await reasonFor("fine"), undefined);
    assert.match((await reasonFor("odd")) ?? "", /record of cluster odd .* malformed: dbVersion/);
    assert.match(
      (await reasonFor("other")) ?? "",
      /other .* was not found, and 1 record in the list of clusters could not be read\./,
    );
  });
});
