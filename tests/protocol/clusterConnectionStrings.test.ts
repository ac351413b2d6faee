import assert from "node:assert/strict";
import type { Simulator } from "clouddb-simulator";
import { projectId, settingsFor, startService } from "../service";
import { type ProviderProcess, startProvider, unknown } from "./providerProcess";

describe("ClusterConnectionStrings, in the provider process", () => {
  let service: Simulator;
  let provider: ProviderProcess;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  beforeEach(async () => {
    service.reset();
    provider = await startProvider("clusterConnectionStrings", {}, settingsFor(service));
  });
  afterEach(() => provider.stop());

  const listings = () =>
    service.requests.filter(
      ({ operation, challenged }) => operation === "listClusters" && !challenged,
    );

  it("returns the strings in check, so that a preview shows them", async () => {
    const { inputs, failures } = await provider.check({ projectId, clusterName: "orders" });
    assert.deepEqual(failures, []);
    assert.match(String(inputs["recommended"]), /^db\+srv:\/\/orders\./);
    assert.equal(inputs["recommendedKind"], "standardSrv");
  });

  it("makes no request in create, diff and update once check has found the strings", async () => {
    const { inputs } = await provider.check({ projectId, clusterName: "orders" });
    const before = service.requests.length;
    const { id, outs } = await provider.create(inputs);
    assert.equal(id, `${projectId}/orders`);
    assert.deepEqual(outs, inputs);
    assert.equal((await provider.diff(id, outs, inputs)).changes, false);
    assert.deepEqual(await provider.update(id, outs, inputs), inputs);
    assert.equal(service.requests.length, before);
  });

  it("shares one list of clusters and one challenge between all lookups", async () => {
    const lookups = ["orders", "analytics", "billing", "sessions"].map((clusterName) =>
      provider.check({ projectId, clusterName }),
    );
    for (const { failures } of await Promise.all(lookups)) assert.deepEqual(failures, []);
    assert.equal(listings().length, 1);
    assert.equal(service.requests.filter(({ challenged }) => challenged).length, 1);
  });

  it("reads the list again, once, for a cluster that was created in the meantime", async () => {
    await provider.check({ projectId, clusterName: "orders" });
    service.project(projectId).addCluster({ name: "fresh", version: "7.0.12" });
    const { inputs, failures } = await provider.check({ projectId, clusterName: "fresh" });
    assert.deepEqual(failures, []);
    assert.match(String(inputs["recommended"]), /fresh/);
    assert.equal(listings().length, 2);
  });

  it("reads the list again, once, for many missing clusters", async () => {
    const lookups = Array.from({ length: 20 }, (_, i) =>
      provider.check({ projectId, clusterName: `nowhere-${i}` }),
    );
    for (const { failures } of await Promise.all(lookups)) assert.equal(failures.length, 1);
    assert.equal(listings().length, 2);
  });

  it("fails with the nearest names if the cluster does not exist", async () => {
    const { failures } = await provider.check({ projectId, clusterName: "order" });
    assert.equal(failures.length, 1);
    assert.equal(failures[0]?.property, "clusterName");
    assert.match(failures[0].reason, /has no cluster order\. The nearest .*: orders, /);
  });

  it("fails with what is missing and why if the cluster does not have the string", async () => {
    const { failures } = await provider.check({
      projectId,
      clusterName: "sessions",
      network: { kind: "peering" },
    });
    assert.match(
      failures[0]?.reason ?? "",
      /sessions .*has no peering-private string \(SRV\)\. .*only if network peering is configured/,
    );
  });

  it("makes no request if an input is unknown in a preview", async () => {
    const news = { projectId: unknown, clusterName: "orders" };
    const { inputs, failures } = await provider.check(news);
    assert.deepEqual(failures, []);
    assert.deepEqual(inputs, news);
    assert.equal(service.requests.length, 0);
  });

  it("names the invalid argument", async () => {
    const { failures } = await provider.check({
      projectId,
      clusterName: "orders",
      form: "uri",
      network: { kind: "vpn" },
    });
    assert.deepEqual(failures.map(({ property }) => property).sort(), ["form", "network"]);
  });

  it("omits the strings in check if it may wait, and waits for them in create", async () => {
    service.project(projectId).updateCluster("sessions", { pendingStrings: ["standard"] });
    const { inputs, failures } = await provider.check({
      projectId,
      clusterName: "sessions",
      waitSeconds: 8,
    });
    assert.deepEqual(failures, []);
    assert.equal("recommended" in inputs, false);
    const creating = provider.create(inputs);
    service.project(projectId).updateCluster("sessions", { pendingStrings: [] });
    const { outs } = await creating;
    assert.match(String(outs["recommended"]), /sessions/);
  });

  it("times out with what is missing, and records nothing", async () => {
    await assert.rejects(
      provider.create({ projectId, clusterName: "nowhere", waitSeconds: 0.5 }),
      /has no cluster nowhere\..* Timed out after/,
    );
  });

  it("logs every few seconds what it waits for, and times out with the state and the missing kind", async () => {
    service.project(projectId).updateCluster("sessions", { state: "CREATING" });
    await assert.rejects(
      provider.create({ projectId, clusterName: "sessions", waitSeconds: 4 }),
      /sessions \(state CREATING\) .*has no standard string \(SRV\)\. .* Timed out after \d s \(waitSeconds: 4\)/,
    );
    const lines = provider
      .output()
      .match(/progress: waiting for the .* of cluster sessions .* for up to \d s/g);
    assert.ok((lines ?? []).length >= 2);
  });

  it("shares its polls with other waiting lookups", async () => {
    service.project(projectId).updateCluster("sessions", { state: "CREATING" });
    const waiting = { projectId, clusterName: "sessions", waitSeconds: 1.5 };
    await Promise.allSettled(Array.from({ length: 20 }, () => provider.create(waiting)));
    assert.ok(listings().length < 20, `${listings().length} listings for 20 lookups`);
  });

  it("reads the list only once in a preview of many lookups that will wait", async () => {
    const names = ["one", "two", "three", "four"];
    for (const clusterName of names) {
      const { failures } = await provider.check({ projectId, clusterName, waitSeconds: 60 });
      assert.deepEqual(failures, []);
    }
    assert.equal(listings().length, 1);
  });

  it("does not wait for a string that can never appear", async () => {
    const { failures } = await provider.check({
      projectId,
      clusterName: "analytics",
      network: { kind: "privateEndpoint" },
      waitSeconds: 600,
    });
    assert.equal(failures[0]?.property, "network");
    assert.match(
      failures[0].reason,
      /several private endpoints match; .*vpce-0a1b2c3d in us-east-1/,
    );
  });

  it("returns a private endpoint's strings by region and by ID, optimized by default", async () => {
    const of = async (network: object, more: object = {}) => {
      const news = { projectId, clusterName: "analytics", ...more };
      const { inputs, failures } = await provider.check({
        ...news,
        network: { kind: "privateEndpoint", ...network },
      });
      assert.deepEqual(failures, []);
      return [inputs["recommendedKind"], inputs["recommended"]].join(" ");
    };
    const region = { region: "eu-west-1" };
    assert.match(await of(region), /^privateEndpointOptimizedSrv .*analytics-pl-1-lb\./);
    assert.match(
      await of(region, { optimized: false }),
      /^privateEndpointSrv .*analytics-pl-1-eu-west-1\./,
    );
    assert.match(await of({ endpointId: "vpce-0a1b2c3d" }, { form: "hosts" }), /pl-0-us-east-1\./);
  });

  it("names the argument that requires an optimized string if there is none", async () => {
    const privateEndpoints = [{ endpointId: "vpce-1", region: "us-east-1" }];
    service.project(projectId).addCluster({ name: "small", type: "REPLICASET", privateEndpoints });
    const { failures } = await provider.check({
      projectId,
      clusterName: "small",
      network: { kind: "privateEndpoint" },
      optimized: true,
    });
    assert.equal(failures[0]?.property, "optimized");
    assert.match(failures[0].reason, /has no optimized private endpoint string \(SRV\)\./);
  });

  it("is replaced for another project or cluster, and updated for another string", async () => {
    const { inputs } = await provider.check({ projectId, clusterName: "orders" });
    const id = `${projectId}/orders`;
    assert.deepEqual(await provider.diff(id, inputs, { ...inputs, clusterName: "billing" }), {
      changes: true,
      replaces: ["clusterName"],
    });
    assert.deepEqual(await provider.diff(id, inputs, { ...inputs, standardSrv: "db+srv://x" }), {
      changes: true,
      replaces: [],
    });
  });

  it("keeps the recorded strings, with a warning, if a refresh no longer finds the string", async () => {
    service.project(projectId).updateCluster("orders", { peering: false });
    const news = { projectId, clusterName: "orders", network: { kind: "peering" } };
    const recorded = { ...news, recommended: "db+srv://orders-pri.ab1cd.db.example" };
    const { id, props } = await provider.read(`${projectId}/orders`, recorded);
    assert.equal(id, `${projectId}/orders`);
    assert.deepEqual(props, recorded);
    assert.match(provider.output(), /warning: .*no peering-private string .* are kept\./);
    const { failures } = await provider.check(news, recorded);
    assert.match(failures[0]?.reason ?? "", /no peering-private/);
  });

  it("reads the current strings on a refresh", async () => {
    const news = { projectId, clusterName: "orders", form: "hosts" };
    const recorded = {
      ...news,
      recommended: "db://old",
      databaseVersion: "6.0.1",
      legacy: "db://a",
    };
    const read = await provider.read(`${projectId}/orders`, recorded);
    assert.deepEqual(read.inputs, read.props);
    assert.deepEqual(read.props, (await provider.check(news)).inputs);
  });

  it("handles the responses of real services without dropping any field", async () => {
    const hosts = "db://pl-0-us-east-1.ab1cd.db.example:1024";
    const cluster = {
      name: "real",
      dbVersion: "7.0.12",
      connectionStrings: {
        standard: "db://ac-x1y2z3a-shard-00-00.ab1cd.db.example:27016",
        standardSrv: "db+srv://real.ab1cd.db.example",
        private: null,
        privateEndpoint: [{ connectionString: hosts, srvConnectionString: null, endpoints: null }],
        awsPrivateLink: { "vpce-1": hosts },
        awsPrivateLinkSrv: { "vpce-1": "db+srv://real-pl-0.ab1cd.db.example" },
        oldSrv: "db+srv://real-ab1cd.db.example",
        gateway: "db://gateway.example:443",
      },
    };
    const path = /\/clusters$/;
    const body = { links: [], results: [cluster], totalCount: 1 };
    service.faults.push({ path, withCredentials: true, status: 200, body });
    const { inputs, failures } = await provider.check({ projectId, clusterName: "real" });
    assert.deepEqual(failures, []);
    assert.deepEqual(inputs["privateEndpoints"], [
      {
        index: 0,
        region: "us-east-1",
        endpointIds: ["vpce-1"],
        hosts,
        srv: "db+srv://real-pl-0.ab1cd.db.example",
      },
    ]);
    assert.equal(inputs["legacySrv"], "db+srv://real-ab1cd.db.example");
    assert.deepEqual(inputs["others"], { gateway: "db://gateway.example:443" });
    assert.equal(inputs["private"], null);
  });

  it("reads an existing cluster by its ID only", async () => {
    const { id, props } = await provider.read(`${projectId}/orders`, {});
    assert.equal(id, `${projectId}/orders`);
    assert.match(String(props["recommended"]), /^db\+srv:\/\/orders\./);
  });

  it("prints no stack trace for a user error", async () => {
    await assert.rejects(provider.read("orders", {}), /not the ID of a lookup/);
    assert.doesNotMatch(provider.output(), /\n\s+at /);
  });
});
