import assert from "node:assert/strict";
import { useForeignService } from "../useProvider";
import {
  type Conventions,
  clusters,
  disable,
  patchCount,
  projectId,
  respondWith,
} from "./clusterService";

describe("a service with other conventions for paging", () => {
  const start = useForeignService();

  describe("refuses a disable in a project with 600 clusters", () => {
    const renamed = { countField: "count", nextRelation: "following" };
    const refusals: [what: string, conventions: Partial<Conventions>, expected: RegExp][] = [
      [
        "if an offending cluster is on the second page, and count and next have other names",
        { ...renamed, clusters: clusters(600, 550) },
        /c0550 +6\.0\.5/,
      ],
      [
        "if an offending cluster follows a page that is shorter than requested",
        { ...renamed, clusters: clusters(600, 550), maxItems: 100, skipsByRequestedSize: true },
        /c0550 +6\.0\.5/,
      ],
      [
        "if the service ignores the paging parameters",
        { ...renamed, numberParameter: "page", sizeParameter: "per_page" },
        /may be incomplete\. 100 items were read, but page 2 repeats earlier items/,
      ],
      [
        "if the first page has the number 0, and the count has another name",
        { countField: "count", firstPage: 0, maxItems: 100, clusters: clusters(600, 50) },
        /may be incomplete\. 600 items were read, but a request without paging parameters returns [^]*c0050 +6\.0\.5/,
      ],
      [
        "if the service reports a higher total than it lists",
        { nextRelation: "following", numberParameter: "page" },
        /may be incomplete\. 500 items were read, but the service reports a total of 600/,
      ],
    ];
    for (const [what, conventions, expected] of refusals) {
      it(what, async () => {
        const { check, create, service } = await start(
          "privateIpMode",
          respondWith({ clusters: clusters(600), ...conventions }),
        );
        const { failures } = await check(disable);
        assert.match(failures[0]?.reason ?? "", expected);
        await assert.rejects(create(disable), expected);
        assert.equal(patchCount(service), 0);
      });
    }
  });

  const passes: [what: string, conventions: Partial<Conventions>, listings: number][] = [
    ["with the documented count and next", {}, 2],
    ["if the fields of a link have other names", { link: { rel: "type", href: "target" } }, 2],
    ["with one more request if the count has another name", { countField: "count" }, 3],
    [
      "with three more requests if count and next have other names",
      { countField: "count", nextRelation: "following" },
      5,
    ],
  ];
  for (const [what, conventions, listings] of passes) {
    it(`allows a disable in a project with 600 clusters ${what}`, async () => {
      const { check, create, service } = await start(
        "privateIpMode",
        respondWith({ clusters: clusters(600), ...conventions }),
      );
      const { inputs, failures } = await check(disable);
      assert.deepEqual(failures, []);
      await create(inputs);
      assert.equal(patchCount(service), 1);
      const read = service.requests.filter(({ path }) => path.includes("/clusters"));
      const signed = read.filter(({ headers }) => headers.authorization !== undefined);
      assert.equal(signed.length, 2 * listings, "in check and again before the change");
      assert.ok(signed[0]?.path.includes("includeCount=true"));
    });
  }

  describe("that ignores the page number", () => {
    const unsupported = { countField: "count", nextRelation: "following", numberParameter: "page" };

    it("returns the strings of a cluster that was read", async () => {
      const { check } = await start(
        "clusterConnectionStrings",
        respondWith({ clusters: clusters(600), ...unsupported }),
      );
      const { inputs, failures } = await check({ projectId, clusterName: "c0042" });
      assert.deepEqual(failures, []);
      assert.equal(inputs["recommended"], "db+srv://c0042.ab1cd.db.example");
    });

    it("reports an incomplete list if the cluster was not read", async () => {
      const { check } = await start(
        "clusterConnectionStrings",
        respondWith({ clusters: clusters(600), ...unsupported }),
      );
      const { failures } = await check({ projectId, clusterName: "c0550" });
      assert.match(
        failures[0]?.reason ?? "",
        /c0550 .* was not found, and the list of clusters is incomplete: 500 items were read, but page 2/,
      );
    });
  });
});
