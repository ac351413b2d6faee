import assert from "node:assert/strict";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../simulator/src";
import { call, type ClusterBody, type ErrorBody, json, projectId } from "./client";
import { credentialsSeed, key, seedOf } from "./seeds";

const clustersPath = `/groups/${projectId}/clusters`;

describe("clusters", function () {
  this.timeout(30_000);
  let simulator: Simulator;
  const start = async (options: Partial<SimulatorOptions> = {}) => {
    simulator = await startSimulator({
      seed: seedOf([{ name: "orders", version: "7.0.12", createdAt: "2024-05-01" }]),
      ...options,
    });
  };
  afterEach(() => simulator.stop());

  const post = (body: object) => call(simulator, clustersPath, { method: "POST", json: body });
  const patch = (name: string, body: object) =>
    call(simulator, `${clustersPath}/${name}`, { method: "PATCH", json: body });
  const put = (name: string, body: object) =>
    call(simulator, `${clustersPath}/${name}`, { method: "PUT", json: body });
  const get = async (name: string) =>
    json<ClusterBody>(await call(simulator, `${clustersPath}/${name}`));

  it("return 201 on creation, and get their strings while they change from CREATING to IDLE [7.1, 1 rule 1]", async () => {
    await start({ creationSeconds: 60 });
    const response = await post({ name: "new", networkPeering: true, dbMajorVersion: "7.0" });
    assert.equal(response.status, 201);
    const created = json<ClusterBody>(response);
    assert.equal(created.stateName, "CREATING");
    assert.deepEqual(created.connectionStrings, {});
    assert.equal(created.dbVersion, "7.0.0");
    simulator.clock.advanceSeconds(31);
    const halfway = await get("new");
    assert.equal(halfway.stateName, "CREATING");
    assert.deepEqual(Object.keys(halfway.connectionStrings), ["standard", "standardSrv"]);
    simulator.clock.advanceSeconds(30);
    const ready = await get("new");
    assert.equal(ready.stateName, "IDLE");
    assert.ok(ready.connectionStrings.privateSrv);
  });

  it("return 202 on deletion, and disappear after the deletion time [7.1]", async () => {
    await start({ deletionSeconds: 60 });
    const response = await call(simulator, `${clustersPath}/orders`, { method: "DELETE" });
    assert.equal(response.status, 202);
    assert.equal((await get("orders")).stateName, "DELETING");
    simulator.clock.advanceSeconds(61);
    assert.equal((await call(simulator, `${clustersPath}/orders`)).status, 404);
    assert.equal((await post({ name: "orders" })).status, 201);
  });

  it("change only the given fields on PATCH [4.1, 7.1]", async () => {
    await start();
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

  it("reset missing fields to their defaults on PUT [4.1]", async () => {
    await start();
    const before = await get("orders");
    await patch("orders", { networkPeering: true, diskSizeGB: 40, paused: true });
    const replaced = json<ClusterBody>(await put("orders", { dbVersion: "7.0.12" }));
    assert.deepEqual(replaced, before);
  });

  it("are UPDATING without their new strings for the configured time", async () => {
    await start({ updateSeconds: 30 });
    const updating = json<ClusterBody>(await patch("orders", { networkPeering: true }));
    assert.equal(updating.stateName, "UPDATING");
    assert.ok(updating.connectionStrings.standardSrv);
    assert.equal(updating.connectionStrings.privateSrv, undefined);
    simulator.clock.advanceSeconds(31);
    const idle = await get("orders");
    assert.equal(idle.stateName, "IDLE");
    assert.ok(idle.connectionStrings.privateSrv);
  });

  it("disappear at their deleteAfterDate", async () => {
    await start();
    const deleteAfterDate = new Date(simulator.clock.now() + 60_000).toISOString();
    await patch("orders", { deleteAfterDate });
    simulator.clock.advanceSeconds(61);
    assert.equal((await call(simulator, `${clustersPath}/orders`)).status, 404);
  });

  it("reject a misspelled field on creation with a 400 that names it [2.5 invalid fields, 7.1]", async () => {
    await start();
    for (const [body, field] of [
      [{ name: "x", clusterTyp: "SHARDED" }, "clusterTyp"],
      [{ name: "x", providerSettings: { provider: "A" } }, "providerSettings.provider"],
      [{ name: "x", version: "7.0.1" }, "version"],
      [{ name: "x", stateName: "IDLE" }, "stateName"],
      [{ name: "x", dbVersion: "7.0" }, "dbVersion"],
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
    assert.equal(simulator.project(projectId).clusters.length, 1);
  });

  it("reject an unmodifiable field on update with a 400 that names it [7.1]", async () => {
    await start();
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

  it("reject a name with 409 if it or its host names are in use [7.1, 1 rule 8]", async () => {
    await start();
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

  it("in provider B with peering span several regions only if private IP mode is disabled [2.6 rule 11]", async () => {
    await start({
      seed: seedOf([{ name: "b", provider: "B", peering: true, version: "7.0.12" }], {
        privateIpMode: { enabled: true },
      }),
    });
    const grow = () =>
      patch("b", { providerSettings: { regionNames: ["us-east-1", "eu-west-1"] } });
    const refused = await grow();
    assert.equal(refused.status, 400);
    assert.equal(json<ErrorBody>(refused).errorCode, "PRIVATE_IP_MODE_ENABLED");
    simulator.project(projectId).setPrivateIpMode(false);
    assert.equal((await grow()).status, 200);
    assert.ok((await get("b")).connectionStrings.privateSrv);
  });

  it("have version fields with the configured prefix", async () => {
    await start({ fieldPrefix: "engine", apiPath: "/api/other/v2", scheme: "engine" });
    const service = { url: simulator.url, ca: simulator.ca, apiPath: "/api/other/v2" };
    const response = await call(service, `${clustersPath}/orders`, {
      method: "PATCH",
      json: { engineVersion: "8.0.0" },
    });
    const cluster = json<ClusterBody>(response);
    assert.equal(cluster.engineVersion, "8.0.0");
    assert.equal(cluster.engineMajorVersion, "8.0");
    assert.match(cluster.connectionStrings.standardSrv ?? "", /^engine\+srv:/);
    assert.equal(
      (
        await call(service, `${clustersPath}/orders`, {
          method: "PATCH",
          json: { dbVersion: "8.0.0" },
        })
      ).status,
      400,
    );
  });
});

describe("projects", function () {
  this.timeout(30_000);
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await startSimulator({ seed: credentialsSeed });
  });
  afterEach(() => simulator.stop());
  const chief = key("chief");

  it("can be created by an owner of the organization, and then contain clusters [7.1, 2.1, 1 rule 1]", async () => {
    const response = await call(simulator, "/groups", {
      key: chief,
      method: "POST",
      json: { name: "new" },
    });
    assert.equal(response.status, 201);
    const { id, clusterCount } = json<{ id: string; clusterCount: number }>(response);
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.equal(clusterCount, 0);
    const clusters = `/groups/${id}/clusters`;
    const created = await call(simulator, clusters, {
      key: chief,
      method: "POST",
      json: { name: "first" },
    });
    assert.equal(created.status, 201);
    assert.equal(
      (await call(simulator, "/groups", { method: "POST", json: { name: "x" } })).status,
      403,
    );
  });

  it("reject a duplicate name in the organization, and name a misspelled field [7.1]", async () => {
    const post = (json: object) => call(simulator, "/groups", { key: chief, method: "POST", json });
    assert.equal((await post({ name: "orders" })).status, 409);
    assert.deepEqual(json<ErrorBody>(await post({ nam: "x", name: "x" })).parameters, ["nam"]);
    const rename = (method: string, json: object) =>
      call(simulator, `/groups/${projectId}`, { method, json });
    assert.equal((await rename("PATCH", { name: "billing" })).status, 409);
    assert.equal((await rename("PATCH", { id: "x" })).status, 400);
    assert.equal((await rename("PUT", {})).status, 400);
    const renamed = await rename("PUT", { name: "sales" });
    assert.equal(json<{ name: string }>(renamed).name, "sales");
  });

  it("can be deleted only without clusters", async () => {
    const remove = () => call(simulator, `/groups/${projectId}`, { method: "DELETE" });
    assert.equal((await remove()).status, 409);
    simulator.project(projectId).removeCluster("orders");
    assert.equal((await remove()).status, 200);
    assert.equal((await call(simulator, clustersPath)).status, 404);
  });
});
