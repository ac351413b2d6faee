import assert from "node:assert/strict";
import { type Seed, type Simulator, startSimulator } from "../../../simulator/src";
import { call, projectId } from "./client";

const modePath = `/groups/${projectId}/privateIpMode`;

function seed(...versions: string[]): Seed {
  return {
    organizations: [
      {
        name: "acme",
        apiKeys: [{ publicKey: "demo", privateKey: "demo-secret", roles: [{ role: "owner" }] }],
      },
    ],
    projects: [
      {
        id: projectId,
        name: "orders",
        organization: "acme",
        privateIpMode: { enabled: true },
        clusters: versions.map((version, at) => ({ name: `c${at}`, version })),
      },
    ],
  };
}

describe("private IP mode", function () {
  this.timeout(30_000);
  let simulator: Simulator;
  const start = async (...versions: string[]) => {
    simulator = await startSimulator({ seed: seed(...versions) });
  };
  const disable = () => call(simulator, modePath, { method: "PATCH", json: { enabled: false } });
  afterEach(() => simulator.stop());

  it("can be disabled if every cluster runs 7.0 or later, and the response contains the new setting [3, 2.3, 4.5]", async () => {
    await start("7.0.0", "8.0.4");
    const response = await disable();
    assert.equal(response.status, 200);
    assert.equal((JSON.parse(response.text) as { enabled: boolean }).enabled, false);
    assert.equal(simulator.project(projectId).privateIpMode.enabled, false);
  });

  for (const version of ["6.0.5", "7.0.0-rc1", "5.0.1"]) {
    it(`cannot be disabled if a cluster runs ${version}, and the error names the cluster [3]`, async () => {
      await start("7.0.12", version);
      const response = await disable();
      assert.equal(response.status, 400);
      const body = JSON.parse(response.text) as Record<string, unknown>;
      assert.equal(body.errorCode, "CANNOT_UPDATE_PRIVATE_IP_MODE");
      assert.match(String(body.detail), new RegExp(`c1 \\(${version}\\)`));
      assert.doesNotMatch(String(body.detail), /c0/);
      assert.equal(simulator.project(projectId).privateIpMode.enabled, true);
    });
  }

  it("is returned by GET, and can be enabled with any version", async () => {
    await start("5.0.1");
    simulator.project(projectId).setPrivateIpMode(false);
    assert.equal(
      (await call(simulator, modePath, { method: "PATCH", json: { enabled: true } })).status,
      200,
    );
    const response = await call(simulator, modePath);
    assert.equal((JSON.parse(response.text) as { enabled: boolean }).enabled, true);
  });

  it("requires a boolean, and names unknown fields in the error [2.3]", async () => {
    await start();
    for (const [json, field] of [
      [{ enabled: "false" }, "enabled"],
      [{ enabled: false, enable: true }, "enable"],
      [{}, "enabled"],
    ] as const) {
      const response = await call(simulator, modePath, { method: "PATCH", json });
      assert.equal(response.status, 400);
      const { parameters } = JSON.parse(response.text) as { parameters: string[] };
      assert.deepEqual(parameters, [field]);
    }
    assert.equal(simulator.project(projectId).privateIpMode.enabled, true);
  });
});
