import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Seed, type Simulator, startSimulator, StateFileError } from "../../../simulator/src";
import { call, type ErrorBody, json, projectId } from "./client";
import { seedOf } from "./seeds";

const defaultSeed: Seed = seedOf(
  [
    { name: "orders", createdAt: "2019-01-01", peering: true },
    { name: "b", privateEndpoints: [{ endpointId: "vpce-1", region: "us-east-1" }] },
  ],
  { privateIpMode: { enabled: true } },
);
const clustersPath = `/groups/${projectId}/clusters`;

describe("the state file", function () {
  this.timeout(30_000);
  let folder: string;
  let stateFile: string;
  let running: Simulator | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "state-"));
    stateFile = join(folder, "state.json");
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    rmSync(folder, { recursive: true });
  });
  const start = async (seed = defaultSeed) => {
    running = await startSimulator({ seed, stateFile });
    return running;
  };
  const restart = async () => {
    await running?.stop();
    return start();
  };

  it("keeps every change between runs, including connection strings", async () => {
    let simulator = await start();
    await call(simulator, `/groups/${projectId}/privateIpMode`, {
      method: "PATCH",
      json: { enabled: false },
    });
    await call(simulator, clustersPath, { method: "POST", json: { name: "new" } });
    await call(simulator, `${clustersPath}/b`, { method: "PATCH", json: { paused: true } });
    const before = simulator.project(projectId);
    const expected = { clusters: [...before.clusters], mode: before.privateIpMode };
    simulator = await restart();
    const { clusters, privateIpMode } = simulator.project(projectId);
    assert.deepEqual({ clusters: [...clusters], mode: privateIpMode }, expected);
    assert.equal(clusters.length, 3);
  });

  it("is written before the response to a change, and leaves no temporary file", async () => {
    const simulator = await start();
    await call(simulator, `${clustersPath}/orders`, { method: "DELETE" });
    assert.match(readFileSync(stateFile, "utf8"), /"DELETING"/);
    assert.deepEqual(readdirSync(folder), ["state.json"]);
  });

  it("contains changes through the library after the simulator stops", async () => {
    const simulator = await start();
    simulator.project(projectId).updateCluster("orders", { version: "6.0.5" });
    assert.equal((await restart()).project(projectId).cluster("orders").version, "6.0.5");
  });

  it("never contains credentials", async () => {
    const simulator = await start();
    await call(simulator, `${clustersPath}/b`, { method: "PATCH", json: { paused: true } });
    assert.ok(!readFileSync(stateFile, "utf8").includes("demo"));
  });

  for (const [what, text] of [
    ["truncated", '{"format":"clouddb-simulator state, version 1","projects":[{'],
    ["empty", ""],
    ["not a state file", '{"version":3}'],
    ["invalid", '{"format":"clouddb-simulator state, version 1","projects":[{"id":"x"}]}'],
  ] as const) {
    it(`is rejected and not changed if it is ${what}`, async () => {
      writeFileSync(stateFile, text);
      await assert.rejects(
        start(),
        (error) =>
          error instanceof StateFileError &&
          error.message.includes(stateFile) &&
          error.message.includes("was not changed"),
      );
      assert.equal(readFileSync(stateFile, "utf8"), text);
    });
  }

  it("is rejected if the seed lacks the organization of a project", async () => {
    const simulator = await start();
    await call(simulator, `${clustersPath}/b`, { method: "PATCH", json: { paused: true } });
    await simulator.stop();
    running = undefined;
    await assert.rejects(start({ organizations: [{ name: "other" }] }), /organization "acme"/);
  });

  it("returns an error for a change if it cannot be written", async () => {
    stateFile = join(folder, "missing", "state.json");
    const simulator = await start();
    const response = await call(simulator, `${clustersPath}/b`, {
      method: "PATCH",
      json: { paused: true },
    });
    assert.equal(response.status, 500);
    assert.match(json<ErrorBody>(response).detail, /cannot be written/);
    await assert.rejects(simulator.stop(), StateFileError);
    running = undefined;
  });
});
