import assert from "node:assert/strict";
import { projectId } from "../../support/service";
import { usePlugin } from "./usePlugin";

describe("a function of the plugin", () => {
  const { service, start } = usePlugin();

  it("looks up the connection strings of a cluster", async () => {
    const { outputs } = await (await start()).invoke("getConnectionStrings", {
      projectId,
      clusterName: "orders",
      network: { kind: "peering" },
    });
    assert.match(String(outputs["recommended"]), /^db\+srv:\/\/orders-pri\./);
    assert.equal(outputs["recommendedKind"], "privateSrv");
  });

  it("lists the clusters of a project", async () => {
    const { outputs } = await (await start()).invoke("getClusters", { projectId });
    const clusters = outputs["clusters"] as readonly Record<string, unknown>[];
    assert.deepEqual(
      clusters.map(({ name }) => name),
      ["analytics", "billing", "orders", "sessions"],
    );
    assert.match(String(clusters[2]?.["privateSrv"]), /^db\+srv:\/\/orders-pri\./);
  });

  it("names every cluster that prevents disabling", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { outputs } = await (await start()).invoke("getPrivateIpModeReadiness", { projectId });
    assert.equal(outputs["ready"], false);
    assert.deepEqual(outputs["clustersBelowMinimum"], [{ name: "orders", version: "6.0.5" }]);
  });

  it("classifies a connection string without any request", async () => {
    const { outputs } = await (await start({ environment: {} })).invoke(
      "classifyConnectionString",
      {
        connectionString: "db+srv://orders-pri.ab1cd.db.example",
      },
    );
    assert.equal(outputs["kind"], "peeringPrivate");
    assert.equal(outputs["cluster"], "orders");
    assert.equal(service.requests.length, 0);
  });

  it("names itself and the problem if an argument is invalid", async () => {
    const args = { connectionString: "db://a.db.example", domain: 1 };
    const { failures } = await (await start()).invoke("classifyConnectionString", args);
    assert.match(
      failures.join(),
      /invalid arguments of classifyConnectionString: .*must be the service's cluster domain, such/,
    );
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

  it("is returned when the engine requests format 0", async () => {
    assert.match(await (await start()).schema(), /"name": "clouddb"/);
  });

  for (const [format, subpackage, version, problem] of [
    [7, "", "", /no format 7 of the schema; request format 0/],
    [-1, "", "", /no format -1 of the schema/],
    [0, "aws", "6.0.0", /no subpackage aws 6\.0\.0;/],
    [0, "", "6.0.0", /no subpackage 6\.0\.0;/],
  ] as const) {
    it(`is refused for format ${format} of the subpackage "${subpackage}" ${version}`, async () => {
      const schema = (await start()).schema(format, subpackage, version);
      await assert.rejects(schema, ({ message }: Error) => {
        assert.match(message, problem);
        assert.doesNotMatch(message, /\n +at /);
        return true;
      });
    });
  }
});
