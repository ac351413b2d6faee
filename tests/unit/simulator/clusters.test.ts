import assert from "node:assert/strict";
import type { SeedCluster } from "../../../simulator/src";
import {
  type ClusterBody,
  type ErrorBody,
  call,
  clustersPath,
  json,
  modePath,
  projectId,
} from "./client";
import { seedOf } from "./seeds";
import { useSimulator } from "./testService";

describe("cluster operations", () => {
  const service = useSimulator({
    seed: seedOf([{ name: "orders", version: "7.0.12", createdAt: "2024-05-01" }]),
  });
  const flex: SeedCluster = { name: "small", tier: "FLEX", listedAt: "flexClusters" };
  const post = (body: object) => service.post(clustersPath, body);
  const patch = (name: string, body: object) => service.patch(`${clustersPath}/${name}`, body);
  const put = (name: string, body: object) =>
    service.call(`${clustersPath}/${name}`, { method: "PUT", json: body });
  const get = async (name: string) =>
    json<ClusterBody>(await service.call(`${clustersPath}/${name}`));

  it("returns 201 and a CREATING cluster for a POST, and adds its strings by the time it is IDLE [7.1, 1 rule 1]", async () => {
    await service.start({ creationSeconds: 60 });
    const response = await post({ name: "new", networkPeering: true, dbMajorVersion: "7.0" });
    assert.equal(response.status, 201);
    const created = json<ClusterBody>(response);
    assert.equal(created.stateName, "CREATING");
    assert.deepEqual(created.connectionStrings, {});
    assert.equal(created.dbVersion, "7.0.0");
    service.simulator.clock.advanceSeconds(31);
    const halfway = await get("new");
    assert.equal(halfway.stateName, "CREATING");
    assert.deepEqual(Object.keys(halfway.connectionStrings), ["standard", "standardSrv"]);
    service.simulator.clock.advanceSeconds(30);
    const ready = await get("new");
    assert.equal(ready.stateName, "IDLE");
    assert.ok(ready.connectionStrings.privateSrv);
  });

  it("lists Flex clusters at a separate path, and only there", async () => {
    await service.start({ seed: seedOf([{ name: "orders" }, flex]) });
    const namesAt = async (path: string) =>
      json<{ results: { name: string }[] }>(await service.call(path)).results.map(
        ({ name }) => name,
      );
    const flexPath = clustersPath.replace("clusters", "flexClusters");
    assert.deepEqual(await namesAt(clustersPath), ["orders"]);
    assert.deepEqual(await namesAt(flexPath), ["small"]);
    assert.equal((await service.call(`${clustersPath}/small`)).status, 404);
    assert.equal((await service.call(`${flexPath}/small`)).status, 200);
  });

  it("returns 202 for a DELETE, and 404 after the deletion time [7.1]", async () => {
    await service.start({ deletionSeconds: 60 });
    const response = await service.call(`${clustersPath}/orders`, { method: "DELETE" });
    assert.equal(response.status, 202);
    assert.equal((await get("orders")).stateName, "DELETING");
    service.simulator.clock.advanceSeconds(31);
    const repeated = await service.call(`${clustersPath}/orders`, { method: "DELETE" });
    assert.equal(repeated.status, 202);
    service.simulator.clock.advanceSeconds(30);
    assert.equal((await service.call(`${clustersPath}/orders`)).status, 404);
    assert.equal((await post({ name: "orders" })).status, 201);
  });

  it("changes only the fields in the body on PATCH [4.1, 7.1]", async () => {
    await patch("orders", { networkPeering: true });
    const response = await patch("orders", {
      dbVersion: "8.0.4",
      clusterType: "SHARDED",
      providerSettings: { regionNames: ["eu-west-1"] },
      privateEndpoints: [{ endpointId: "vpce-1", region: "eu-west-1" }],
    });
    assert.equal(response.status, 200);
    const changed = json<ClusterBody>(response);
    assert.equal(changed.dbMajorVersion, "8.0");
    assert.equal(changed.clusterType, "SHARDED");
    assert.equal(changed.networkPeering, true);
    assert.equal(
      changed.connectionStrings.privateEndpoint?.[0]?.endpoints[0]?.endpointId,
      "vpce-1",
    );
    assert.deepEqual(await get("orders"), changed);
  });

  it("resets missing fields to their defaults on PUT [4.1]", async () => {
    const before = await get("orders");
    await patch("orders", {
      networkPeering: true,
      tier: "FLEX",
      diskSizeGB: 40,
      paused: true,
      privateEndpoints: [{ endpointId: "vpce-1", region: "us-east-1" }],
    });
    const replaced = json<ClusterBody>(await put("orders", { dbVersion: "7.0.12" }));
    assert.deepEqual(replaced, before);
  });

  it("returns an UPDATING cluster without its new strings for the configured time", async () => {
    await service.start({ updateSeconds: 30 });
    const updating = json<ClusterBody>(await patch("orders", { networkPeering: true }));
    assert.equal(updating.stateName, "UPDATING");
    assert.ok(updating.connectionStrings.standardSrv);
    assert.equal(updating.connectionStrings.privateSrv, undefined);
    service.simulator.clock.advanceSeconds(15);
    const privateEndpoints = [{ endpointId: "vpce-1", region: "us-east-1" }];
    const again = json<ClusterBody>(await patch("orders", { privateEndpoints }));
    assert.deepEqual(Object.keys(again.connectionStrings), ["standard", "standardSrv"]);
    service.simulator.clock.advanceSeconds(31);
    const idle = await get("orders");
    assert.ok(idle.connectionStrings.privateEndpoint);
    assert.equal(idle.stateName, "IDLE");
    assert.ok(idle.connectionStrings.privateSrv);
  });

  it("rejects two private endpoints with the same endpointId", async () => {
    const endpoint = { endpointId: "vpce-1", region: "us-east-1" };
    const response = await patch("orders", { privateEndpoints: [endpoint, endpoint] });
    assert.equal(response.status, 400);
    assert.match(json<ErrorBody>(response).detail, /have the same endpointId/);
  });

  it("rejects an unknown or invalid field on creation with a 400 that names it [2.5 invalid fields, 7.1]", async () => {
    for (const [body, field] of [
      [{ name: "x", clusterTyp: "SHARDED" }, "clusterTyp"],
      [{ name: "x", providerSettings: { provider: "A" } }, "providerSettings.provider"],
      [{ name: "x", version: "7.0.1" }, "version"],
      [{ name: "x", stateName: "IDLE" }, "stateName"],
      [{ name: "x", dbVersion: "7.0" }, "dbVersion"],
      [{ name: "x", dbVersion: "7.0.0-rc1" }, "dbVersion"],
      [{ name: "-x" }, "name"],
      [{ name: "x", providerSettings: { providerName: "D" } }, "providerSettings.providerName"],
      [{}, "name"],
    ] as const) {
      const response = await post(body);
      assert.equal(response.status, 400);
      const error = json<ErrorBody>(response);
      assert.deepEqual(error.parameters, [field]);
      assert.ok(error.detail.includes(field));
    }
    assert.equal(
      (await post({ name: "x", dbVersion: "7.0.1", dbMajorVersion: "8.0" })).status,
      400,
    );
    assert.equal(service.simulator.project(projectId).clusters.length, 1);
  });

  it("rejects an unmodifiable field on update with a 400 that names it [7.1]", async () => {
    const before = await get("orders");
    for (const field of ["id", "name", "groupId", "createDate", "stateName", "connectionStrings"]) {
      const response = await patch("orders", { [field]: "x" });
      assert.equal(response.status, 400);
      assert.deepEqual(json<ErrorBody>(response).parameters, [field]);
      assert.match(json<ErrorBody>(response).detail, /cannot be set or changed/);
    }
    assert.equal((await put("orders", { name: "other" })).status, 400);
    assert.deepEqual(await get("orders"), before);
  });

  it("rejects a name with 409 if it or its host names are in use [7.1, 1 rule 8]", async () => {
    for (const name of ["orders", "ORDERS"]) {
      const response = await post({ name });
      assert.equal(response.status, 409);
      assert.equal(json<ErrorBody>(response).errorCode, "DUPLICATE_CLUSTER_NAME");
    }
    assert.equal((await post({ name: "a-very-long-cluster-name-1" })).status, 201);
    assert.equal((await post({ name: "a-very-long-cluster-name-2" })).status, 409);
    for (const name of ["orders-pri", "orders-pl-0-us-east-1", "orders-shard-00-00"]) {
      assert.equal((await post({ name })).status, 400, name);
    }
  });

  it("rejects regions of private endpoints whose host names could belong to another cluster [1 rule 8]", async () => {
    // Clusters named "orders-pl-0" or "pl-0" would have the same host names.
    for (const region of ["lb", "pri", "shard-00-00", "shard-00-01-pri", "pl-1-us-east-1"]) {
      const privateEndpoints = [{ endpointId: "vpce-1", region }];
      const response = await patch("orders", { privateEndpoints });
      assert.equal(response.status, 400, region);
      assert.deepEqual(json<ErrorBody>(response).parameters, ["privateEndpoints"]);
    }
  });

  it("rejects two private endpoints of a cluster with the same endpointId", async () => {
    const privateEndpoints = ["us-east-1", "eu-west-1"].map((region) => ({
      endpointId: "vpce-1",
      region,
    }));
    const response = await patch("orders", { privateEndpoints });
    assert.equal(response.status, 400);
    assert.deepEqual(json<ErrorBody>(response).parameters, ["privateEndpoints"]);
  });

  it("rejects private endpoints in provider C with 400 [2.6 private endpoint]", async () => {
    await service.start({ seed: seedOf([{ name: "c", provider: "C" }]) });
    const privateEndpoints = [{ endpointId: "psc-1", region: "us-east1" }];
    assert.equal((await patch("c", { privateEndpoints })).status, 400);
  });

  it("returns version fields with the configured prefix", async () => {
    await service.start({ fieldPrefix: "engine", apiPath: "/api/other/v2", scheme: "engine" });
    const other = { ...service.simulator, apiPath: "/api/other/v2" };
    const change = (body: object) =>
      call(other, `${clustersPath}/orders`, { method: "PATCH", json: body });
    const cluster = json<ClusterBody>(await change({ engineVersion: "8.0.0" }));
    assert.deepEqual([cluster.engineVersion, cluster.engineMajorVersion], ["8.0.0", "8.0"]);
    assert.match(cluster.connectionStrings.standardSrv ?? "", /^engine\+srv:/);
    assert.equal((await change({ dbVersion: "8.0.0" })).status, 400);
  });
});

describe("a peered cluster in provider B with several regions", () => {
  const service = useSimulator({ seed: {} }, "test");
  const regions = ["us-east-1", "eu-west-1"];
  const peered: SeedCluster = { name: "b", provider: "B", peering: true, regions };
  const start = (change: Partial<SeedCluster>, enabled = true) =>
    service.start({
      seed: seedOf([{ ...peered, ...change }], { privateIpMode: { enabled } }),
    });
  const body = {
    networkPeering: true,
    providerSettings: { providerName: "B", regionNames: regions },
  };
  const change = async (method: string, json: object) =>
    service.call(`${clustersPath}/b`, { method, json });
  const post = (name: string) => service.post(clustersPath, { name, ...body });
  const enable = () => service.patch(modePath, { enabled: true });

  it("cannot be created while private IP mode is enabled [2.6 rule 11]", async () => {
    await start({ peering: false });
    const rejected = await post("new");
    assert.equal(rejected.status, 400);
    assert.equal(json<ErrorBody>(rejected).errorCode, "PRIVATE_IP_MODE_ENABLED");
    assert.equal(service.simulator.project(projectId).clusters.length, 1);
    service.simulator.project(projectId).setPrivateIpMode(false);
    assert.equal((await post("new")).status, 201);
  });

  const patches: [string, Partial<SeedCluster>, object][] = [
    ["regions", { regions: ["us-east-1"] }, { providerSettings: { regionNames: regions } }],
    ["peering", { peering: false }, { networkPeering: true }],
    ["provider B", { provider: "A" }, { providerSettings: { providerName: "B" } }],
  ];
  for (const [what, before, update] of patches) {
    it(`cannot result from a PATCH that adds ${what} while private IP mode is enabled [2.6 rule 11]`, async () => {
      await start(before);
      const rejected = await change("PATCH", update);
      assert.equal(rejected.status, 400);
      assert.equal(json<ErrorBody>(rejected).errorCode, "PRIVATE_IP_MODE_ENABLED");
      service.simulator.project(projectId).setPrivateIpMode(false);
      const accepted = await change("PATCH", update);
      assert.equal(accepted.status, 200);
      assert.ok(json<ClusterBody>(accepted).connectionStrings.privateSrv);
    });
  }

  it("cannot result from a PUT while private IP mode is enabled [2.6 rule 11]", async () => {
    for (const before of [{}, { peering: false }, { regions: ["us-east-1"] }]) {
      await start(before);
      assert.equal((await change("PUT", body)).status, 400);
      // A PUT without peering or provider resets them to their defaults.
      const { providerSettings } = body;
      assert.equal((await change("PUT", { providerSettings })).status, 200);
      const inA = { ...body, providerSettings: { regionNames: regions } };
      assert.equal((await change("PUT", inA)).status, 200);
    }
  });

  it("accepts other changes if it was added with private IP mode enabled", async () => {
    await start({});
    assert.equal((await change("PATCH", { diskSizeGB: 20 })).status, 200);
    assert.equal((await change("PATCH", { networkPeering: false })).status, 200);
  });

  it("prevents private IP mode from being enabled, and is named in the error [2.6 rule 11]", async () => {
    await start({}, false);
    const rejected = await enable();
    assert.equal(rejected.status, 400);
    const error = json<ErrorBody>(rejected);
    assert.equal(error.errorCode, "CANNOT_UPDATE_PRIVATE_IP_MODE");
    assert.deepEqual(error.parameters, ["b"]);
    assert.equal(service.simulator.project(projectId).privateIpMode.enabled, false);
    assert.equal((await change("PATCH", { networkPeering: false })).status, 200);
    assert.equal((await enable()).status, 200);
  });
});
