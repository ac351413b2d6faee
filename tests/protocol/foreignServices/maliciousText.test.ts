import assert from "node:assert/strict";
import { useForeignService } from "../useProvider";
import { cluster, disable, projectId, respondWith } from "./clusterService";

describe("a cluster name with line breaks and control characters", () => {
  const start = useForeignService();
  const hostile = "orders\n  billing  7.0.12\u001b[2K\u202e\u009b";

  it("is escaped in the refusal of a disable", async () => {
    const { check } = await start(
      "privateIpMode",
      respondWith({ clusters: [cluster(hostile, "6.0.5")] }),
    );
    const reason = (await check(disable)).failures[0]?.reason ?? "";
    assert.match(
      reason,
      /\n {2}orders\\n {2}billing {2}7\.0\.12\\u\{1b\}\[2K\\u\{202e\}\\u\{9b\} {2}6\.0\.5\n/,
    );
    assert.equal(reason.split("\n").length, 3);
  });

  it("is escaped in the nearest names of a lookup", async () => {
    const { check, output } = await start(
      "clusterConnectionStrings",
      respondWith({ clusters: [cluster(hostile)] }),
    );
    const { failures } = await check({ projectId, clusterName: "orders" });
    assert.doesNotMatch(failures[0]?.reason ?? "", /[\p{Cc}\p{Cf}]/u);
    assert.doesNotMatch(output().replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  });
});
