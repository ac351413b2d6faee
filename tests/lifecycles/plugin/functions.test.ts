import assert from "node:assert/strict";
import * as z from "zod";
import { projectId } from "../../support/service";
import { secretKeys } from "../../../provider/src/settings/settings";
import { usePlugin } from "./usePlugin";

const propertiesSchema = z.record(
  z.string(),
  z.object({
    secret: z.optional(z.boolean()),
    type: z.optional(z.string()),
    willReplaceOnChanges: z.optional(z.boolean()),
  }),
);
const schemaSchema = z.object({
  config: z.object({ variables: propertiesSchema }),
  provider: z.object({ inputProperties: propertiesSchema }),
  resources: z.object({
    "clouddb:index:ClusterConnectionStrings": z.object({ inputProperties: propertiesSchema }),
    "clouddb:index:DatabaseUrl": z.object({
      inputProperties: propertiesSchema,
      properties: propertiesSchema,
    }),
  }),
});

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

  it("names the resource that can wait for a cluster that is being created", async () => {
    service.project().addCluster({ name: "creating", state: "CREATING" });
    const args = { projectId, clusterName: "creating" };
    const { failures } = await (await start()).invoke("getConnectionStrings", args);
    assert.match(
      failures.join(),
      /is still being created\. The resource ClusterConnectionStrings waits for it with waitSeconds\./,
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

  it("marks every secret, so that generated SDKs encrypt it in the state", async () => {
    const { config, provider, resources } = schemaSchema.parse(
      JSON.parse(await (await start()).schema()),
    );
    const url = resources["clouddb:index:DatabaseUrl"];
    const secretsIn = (properties: z.infer<typeof propertiesSchema>) =>
      Object.keys(properties).filter((name) => properties[name]?.secret === true);
    assert.deepEqual(secretsIn(config.variables), secretKeys);
    assert.deepEqual(secretsIn(provider.inputProperties), secretKeys);
    assert.deepEqual(secretsIn(url.inputProperties), ["password"]);
    assert.deepEqual(secretsIn(url.properties).sort(), ["password", "url"]);
  });

  it("says which properties are fractions, and which replace the resource", async () => {
    const { config, resources } = schemaSchema.parse(JSON.parse(await (await start()).schema()));
    const lookup = resources["clouddb:index:ClusterConnectionStrings"].inputProperties;
    const { requestTimeoutSeconds, requestsPerMinute } = config.variables;
    assert.deepEqual([requestTimeoutSeconds?.type, requestsPerMinute?.type], ["number", "integer"]);
    const replacing = Object.keys(lookup).filter((name) => lookup[name]?.willReplaceOnChanges);
    assert.deepEqual(replacing, ["projectId", "clusterName"]);
  });
});
