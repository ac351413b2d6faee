import assert from "node:assert/strict";
import { sendJson, withDigest } from "../../foreignService";
import { useForeignService } from "../useProvider";
import { cluster, projectId } from "./clusterService";

describe("the next link of a list of clusters", () => {
  const start = useForeignService();

  /** Starts a service whose first page links to the second one. */
  const startLinked = (href: string) =>
    start(
      "clusterConnectionStrings",
      withDigest(({ path }, response) => {
        const body = path.includes("cursor=2")
          ? { results: [cluster("second")] }
          : { results: [cluster("first")], links: [{ rel: "next", href }] };
        sendJson(response, 200, body);
      }),
    );

  for (const [what, href] of [
    ["relative to the page", "?cursor=2"],
    ["relative to the origin", "/api/service/v1.0/groups/p1/clusters?cursor=2"],
    ["at another origin", "https://internal.example/api/service/v1.0/groups/p1/clusters?cursor=2"],
  ] as const) {
    it(`is followed at the origin of the service if it is ${what}`, async () => {
      const { check } = await startLinked(href);
      const { failures } = await check({ projectId, clusterName: "second" });
      assert.deepEqual(failures, []);
    });
  }

  it("is not followed if it leads to another list", async () => {
    const { check } = await startLinked("/api/service/v1.0/groups/other/clusters?cursor=2");
    const { failures } = await check({ projectId, clusterName: "second" });
    assert.match(
      failures[0]?.reason ?? "",
      /the list of clusters is incomplete: .*next link of the list leads to another path/,
    );
  });
});
