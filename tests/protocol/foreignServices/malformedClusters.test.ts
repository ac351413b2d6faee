import assert from "node:assert/strict";
import { useForeignService } from "../useProvider";
import { cluster, disable, projectId, respondWith } from "./clusterService";

describe("a malformed cluster in the list", () => {
  const start = useForeignService();

  const records: [what: string, record: unknown, expected: RegExp][] = [
    [
      "a record with a number as its version",
      cluster("odd", 7),
      /odd +\(not a cluster record: dbVersion/,
    ],
    ["null", null, /\(a record without a name\) +\(not a cluster record/],
    ["text", "odd", /\(a record without a name\)/],
    [
      "a record with an array of connection strings",
      { ...cluster("odd"), connectionStrings: ["a"] },
      /odd +\(not a cluster record: connectionStrings/,
    ],
  ];
  for (const [what, record, expected] of records) {
    it(`refuses a disable and names the cluster if it is ${what}`, async () => {
      const { check } = await start(
        "privateIpMode",
        respondWith({ clusters: [cluster("fine"), record] }),
      );
      const { failures } = await check(disable);
      assert.match(failures[0]?.reason ?? "", /1 of its 2 clusters could not be read/);
      assert.match(failures[0]?.reason ?? "", expected);
    });

    it(`does not affect lookups of other clusters if it is ${what}`, async () => {
      const { check } = await start(
        "clusterConnectionStrings",
        respondWith({ clusters: [record, cluster("fine")] }),
      );
      assert.deepEqual((await check({ projectId, clusterName: "fine" })).failures, []);
    });
  }

  it("is reported in a lookup of that cluster", async () => {
    const { check } = await start(
      "clusterConnectionStrings",
      respondWith({ clusters: [cluster("odd", 7)] }),
    );
    const { failures } = await check({ projectId, clusterName: "odd" });
    assert.match(failures[0]?.reason ?? "", /record of cluster odd .* is malformed: dbVersion/);
    assert.doesNotMatch(failures[0]?.reason ?? "", /waitSeconds/);
  });

  describe("in a refresh of another cluster that is not in the list", () => {
    const refresh = async (record: unknown) => {
      const provider = await start(
        "clusterConnectionStrings",
        respondWith({ clusters: [cluster("fine"), record] }),
      );
      return await provider.read(`${projectId}/wanted`, { recommended: "db://old" });
    };

    it("keeps the lookup in the state if the record has no name", async () => {
      await assert.rejects(
        refresh(null),
        /cluster wanted .* was not found, and 1 record in the list of clusters could not be read\..* Nothing is removed/,
      );
    });

    it("removes the lookup from the state if the record has another name", async () => {
      assert.equal((await refresh(cluster("odd", 7))).id, "");
    });
  });
});
