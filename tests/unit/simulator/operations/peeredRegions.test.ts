import assert from "node:assert/strict";
import type { SeedCluster } from "../../../../simulator/src";
import {
  type ClusterBody,
  clustersPath,
  type ErrorBody,
  json,
  modePath,
  projectId,
} from "../client";
import { seedOf } from "../seeds";
import { useSimulator } from "../testService";

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
  const post = (name: string) =>
    service.call(clustersPath, { method: "POST", json: { name, ...body } });
  const enable = () => service.call(modePath, { method: "PATCH", json: { enabled: true } });

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
