import assert from "node:assert/strict";
import * as z from "zod";
import { projectId } from "../../support/service";
import { packageVersion, usePlugin } from "./usePlugin";

describe("a function of the plugin", () => {
  const { service, start } = usePlugin();

  it("returns what it found", async () => {
    const plugin = await start();
    const network = { kind: "peering" };
    const args = { projectId, clusterName: "orders", network };
    const { recommendedKind } = (await plugin.invoke("getConnectionStrings", args)).outputs;
    assert.equal(recommendedKind, "privateSrv");
    const { clusters } = (await plugin.invoke("getClusters", { projectId })).outputs;
    assert.equal(
      z.array(z.object({ privateSrv: z.nullish(z.string()) })).parse(clusters).length,
      4,
    );
  });

  it("classifies a connection string without any request", async () => {
    const plugin = await start({ environment: {} });
    const connectionString = "db+srv://orders-pri.ab1cd.db.example";
    const { outputs } = await plugin.invoke("classifyConnectionString", { connectionString });
    assert.deepEqual([outputs["kind"], outputs["cluster"]], ["peeringPrivate", "orders"]);
    const invalid = { connectionString, domain: 1 };
    assert.match(
      (await plugin.invoke("classifyConnectionString", invalid)).failures.join(),
      /invalid arguments of classifyConnectionString: .*must be the service's cluster domain, such/,
    );
    assert.equal(service.requests.length, 0);
  });

  it("names the resource that can wait for a cluster that is being created, but not for a paused one", async () => {
    service.project().addCluster({ name: "creating", state: "CREATING" });
    service.project().addCluster({ name: "paused", paused: true, pendingStrings: ["standard"] });
    const plugin = await start();
    for (const [clusterName, end] of [
      [
        "creating",
        /is still being created\. The resource ClusterConnectionStrings waits for it with waitSeconds\./,
      ],
      ["paused", /must be resumed before the service returns its strings\.(?: \[clouddb-\S+\])?$/],
    ] as const) {
      const { failures } = await plugin.invoke("getConnectionStrings", { projectId, clusterName });
      assert.match(failures.join(), end);
    }
  });

  it("is reported by name if the plugin does not have it", async () => {
    await assert.rejects(
      (await start()).invoke("getProjects", {}),
      /this version of the plugin has no function clouddb:index:getProjects/,
    );
  });
});

describe("the schema of the plugin", () => {
  const { start } = usePlugin();

  it("has the version of the package", async () => {
    const plugin = await start();
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(await plugin.schema()));
    assert.deepEqual([version, await plugin.version()], [packageVersion(), packageVersion()]);
  });
});
