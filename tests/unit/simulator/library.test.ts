import assert from "node:assert/strict";
import { ServiceError, type Simulator, startSimulator } from "../../../simulator/src";
import { apiPath, call, type ClusterBody, json, type ListBody, projectId, send } from "./client";
import { seedOf } from "./seeds";

const clustersPath = `/groups/${projectId}/clusters`;

describe("the library", function () {
  this.timeout(30_000);
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await startSimulator({
      seed: seedOf([{ name: "orders", version: "7.0.12" }], { privateIpMode: { enabled: true } }),
    });
  });
  afterEach(() => simulator.stop());
  const listed = async () =>
    json<ListBody<ClusterBody>>(await call(simulator, clustersPath)).results;

  it("records requests, so that tests can count lists and challenges separately", async () => {
    await call(simulator, `${clustersPath}?itemsPerPage=500`);
    await call(simulator, `/groups/${projectId}/privateIpMode`, {
      method: "PATCH",
      json: { enabled: false },
    });
    await send(simulator, `${apiPath}/nowhere`);
    assert.deepEqual(
      simulator.requests.map(({ method, operation, status, authenticated, challenged }) => [
        method,
        operation,
        status,
        authenticated,
        challenged,
      ]),
      [
        ["GET", "listClusters", 401, false, true],
        ["GET", "listClusters", 200, true, false],
        ["PATCH", "updatePrivateIpMode", 401, false, true],
        ["PATCH", "updatePrivateIpMode", 200, true, false],
        ["GET", undefined, 401, false, true],
      ],
    );
    const [, listing, , patch] = simulator.requests;
    assert.equal(listing?.path, `${apiPath}${clustersPath}`);
    assert.deepEqual({ ...listing.query }, { itemsPerPage: "500" });
    assert.equal(listing.principal, "demo");
    assert.deepEqual(patch?.body, { enabled: false });
  });

  it("changes projects and clusters without the API", async () => {
    const project = simulator.project(projectId);
    project.addCluster({ name: "late", state: "CREATING" });
    project.updateCluster("orders", { version: "6.0.5", peering: true });
    let [orders, late] = await listed();
    assert.equal(orders?.dbVersion, "6.0.5");
    assert.ok(orders.connectionStrings.privateSrv);
    assert.deepEqual(late?.connectionStrings, {});
    project.updateCluster("late", { state: "IDLE" });
    project.updateCluster("orders", { pendingStrings: ["private"] });
    [orders, late] = await listed();
    assert.ok(late?.connectionStrings.standardSrv);
    assert.equal(orders?.connectionStrings.privateSrv, undefined);
    project.removeCluster("orders");
    project.setPrivateIpMode(false);
    assert.deepEqual(
      (await listed()).map(({ name }) => name),
      ["late"],
    );
    assert.equal(project.privateIpMode.enabled, false);
  });

  it("can report other versions for a cluster, or none", async () => {
    const project = simulator.project(projectId);
    project.updateCluster("orders", { reported: { version: null, majorVersion: "six" } });
    const [orders] = await listed();
    assert.ok(orders && !("dbVersion" in orders));
    assert.equal(orders.dbMajorVersion, "six");
  });

  it("keeps the former host name of a renamed cluster", async () => {
    simulator.project(projectId).addCluster({ name: "sales", hostName: "former" });
    const [, sales] = await listed();
    assert.match(sales?.connectionStrings.standardSrv ?? "", /^db\+srv:\/\/former\./);
  });

  it("throws an error that names the missing project or cluster, or the unknown field", () => {
    assert.throws(() => simulator.project("x"), ServiceError);
    const project = simulator.project(projectId);
    assert.throws(() => project.cluster("x"), /No cluster named "x"/);
    assert.throws(() => project.updateCluster("orders", { version: "seven" }), /version: must be/);
    assert.throws(() => project.addCluster({ name: "orders" }), /already exists/);
    assert.throws(() => {
      simulator.clock.advanceSeconds(-1);
    }, RangeError);
  });

  it("restores the seed on reset", async () => {
    simulator.project(projectId).removeCluster("orders");
    simulator.addProject({ id: "64a0c0ffee0000000000a00f", name: "b", organization: "acme" });
    simulator.faults.push({ status: 500 });
    simulator.clock.advanceSeconds(1e6);
    simulator.reset();
    assert.deepEqual(simulator.projectIds(), [projectId]);
    assert.deepEqual(simulator.requests, []);
    assert.ok(Math.abs(simulator.clock.now() - Date.now()) < 1e6);
    assert.equal((await listed()).length, 1);
  });

  it("stops while connections are open", async () => {
    await send(simulator, apiPath);
    await simulator.stop();
    await assert.rejects(send(simulator, apiPath));
  });
});
