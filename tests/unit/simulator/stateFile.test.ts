import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Seed, type Simulator, startSimulator, StateFileError } from "../../../simulator/src";
import { call, type ErrorBody, json, PROJECT } from "./client";
import { worldOf } from "./worlds";

const SEED: Seed = worldOf(
  [
    { name: "orders", createdAt: "2019-01-01", peering: true },
    { name: "b", privateEndpoints: [{ endpointId: "vpce-1", region: "us-east-1" }] },
  ],
  { privateIpMode: { enabled: true } },
);
const CLUSTERS = `/groups/${PROJECT}/clusters`;

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
  const start = async (seed = SEED) => {
    running = await startSimulator({ seed, stateFile });
    return running;
  };
  const restart = async () => {
    await running?.stop();
    return start();
  };

  it("keeps every change between runs, down to the connection strings", async () => {
    let simulator = await start();
    await call(simulator, `/groups/${PROJECT}/privateIpMode`, {
      method: "PATCH",
      json: { enabled: false },
    });
    await call(simulator, CLUSTERS, { method: "POST", json: { name: "new" } });
    await call(simulator, `${CLUSTERS}/b`, { method: "PATCH", json: { paused: true } });
    const before = simulator.project(PROJECT);
    const expected = { clusters: [...before.clusters], mode: before.privateIpMode };
    simulator = await restart();
    const { clusters, privateIpMode } = simulator.project(PROJECT);
    assert.deepEqual({ clusters: [...clusters], mode: privateIpMode }, expected);
    assert.equal(clusters.length, 3);
  });

  it("is on disk before a change is answered, with nothing half written beside it", async () => {
    const simulator = await start();
    await call(simulator, `${CLUSTERS}/orders`, { method: "DELETE" });
    assert.match(readFileSync(stateFile, "utf8"), /"DELETING"/);
    assert.deepEqual(readdirSync(folder), ["state.json"]);
  });

  it("keeps what tests change through the library, once the simulator has stopped", async () => {
    const simulator = await start();
    simulator.project(PROJECT).updateCluster("orders", { version: "6.0.5" });
    assert.equal((await restart()).project(PROJECT).cluster("orders").version, "6.0.5");
  });

  it("never holds a credential", async () => {
    const simulator = await start();
    await call(simulator, `${CLUSTERS}/b`, { method: "PATCH", json: { paused: true } });
    assert.ok(!readFileSync(stateFile, "utf8").includes("demo"));
  });

  for (const [what, text] of [
    ["cut short", '{"format":"clouddb-simulator state, version 1","projects":[{'],
    ["empty", ""],
    ["of another kind", '{"version":3}'],
    ["wrong inside", '{"format":"clouddb-simulator state, version 1","projects":[{"id":"x"}]}'],
  ] as const) {
    it(`that is ${what} is refused, and left as it is`, async () => {
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

  it("of projects whose organization is not in the seed is refused", async () => {
    const simulator = await start();
    await call(simulator, `${CLUSTERS}/b`, { method: "PATCH", json: { paused: true } });
    await simulator.stop();
    running = undefined;
    await assert.rejects(start({ organizations: [{ name: "other" }] }), /organization "acme"/);
  });

  it("that cannot be written is an error to who made the change", async () => {
    stateFile = join(folder, "missing", "state.json");
    const simulator = await start();
    const response = await call(simulator, `${CLUSTERS}/b`, {
      method: "PATCH",
      json: { paused: true },
    });
    assert.equal(response.status, 500);
    assert.match(json<ErrorBody>(response).detail, /cannot be written/);
    await assert.rejects(simulator.stop(), StateFileError);
    running = undefined;
  });
});
