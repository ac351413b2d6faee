import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { minimumVersion as guardedVersion } from "../../../provider/src/privateIpMode/guard";
import { minimumVersion } from "../../../simulator/src/operations/operations";
import { type ErrorBody, clustersPath, json, modePath, projectId } from "./client";
import { credentialsSeed, key, seedOf } from "./seeds";
import { useSimulator } from "./testService";

describe("project operations", () => {
  const service = useSimulator({ seed: credentialsSeed });
  const post = (path: string, json: object) =>
    service.call(path, { key: key("chief"), method: "POST", json });

  it("creates a project for an owner of the organization, and clusters in it [7.1, 2.1, 1 rule 1]", async () => {
    const response = await post("/groups", { name: "new" });
    assert.equal(response.status, 201);
    const { id, clusterCount } = json<{ id: string; clusterCount: number }>(response);
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.equal(clusterCount, 0);
    assert.equal((await post(`/groups/${id}/clusters`, { name: "first" })).status, 201);
    assert.equal((await service.post("/groups", { name: "x" })).status, 403);
  });

  it("rejects a duplicate name with 409, and a misspelled field with a 400 that names it [7.1]", async () => {
    assert.equal((await post("/groups", { name: "orders" })).status, 409);
    const misspelled = await post("/groups", { nam: "x", name: "x" });
    assert.deepEqual(json<ErrorBody>(misspelled).parameters, ["nam"]);
    const rename = (method: string, json: object) =>
      service.call(`/groups/${projectId}`, { method, json });
    assert.equal((await rename("PATCH", { name: "billing" })).status, 409);
    assert.equal((await rename("PATCH", { id: "x" })).status, 400);
    assert.equal((await rename("PUT", {})).status, 400);
    const renamed = await rename("PUT", { name: "sales" });
    assert.equal(json<{ name: string }>(renamed).name, "sales");
  });

  it("rejects the deletion of a project with clusters with 409", async () => {
    const remove = () => service.call(`/groups/${projectId}`, { method: "DELETE" });
    assert.equal((await remove()).status, 409);
    service.simulator.project(projectId).removeCluster("orders");
    assert.equal((await remove()).status, 200);
    assert.equal((await service.call(clustersPath)).status, 404);
  });
});

describe("private IP mode operations", () => {
  const service = useSimulator({ seed: {} }, "test");
  const start = (...versions: string[]) =>
    service.start({
      seed: seedOf(
        versions.map((version, at) => ({ name: `c${at}`, version })),
        { privateIpMode: { enabled: true } },
      ),
    });
  const disable = () => service.patch(modePath, { enabled: false });

  it("disables the mode if every cluster runs 7.0 or later, and returns the new setting [3, 2.3, 4.5]", async () => {
    await start("7.0.0", "8.0.4");
    const response = await disable();
    assert.equal(response.status, 200);
    assert.equal((JSON.parse(response.text) as { enabled: boolean }).enabled, false);
    assert.equal(service.simulator.project(projectId).privateIpMode.enabled, false);
  });

  it("requires the version of the service document, as the provider does", () => {
    const document = join(__dirname, "../../../docs/internals/service.md");
    const rule = /runs version (\S+) or later/.exec(readFileSync(document, "utf8"));
    assert.deepEqual([minimumVersion, guardedVersion], [rule?.[1], `${rule?.[1]}.0`]);
  });

  for (const version of ["6.0.5", "7.0.0-rc1", "5.0.1"]) {
    it(`rejects disabling if a cluster runs ${version}, and names the cluster in the error [3]`, async () => {
      await start("7.0.12", version);
      const response = await disable();
      assert.equal(response.status, 400);
      const body = JSON.parse(response.text) as Record<string, unknown>;
      assert.equal(body.errorCode, "CANNOT_UPDATE_PRIVATE_IP_MODE");
      assert.match(String(body.detail), new RegExp(`c1 \\(${version}\\)`));
      assert.doesNotMatch(String(body.detail), /c0/);
      assert.equal(service.simulator.project(projectId).privateIpMode.enabled, true);
    });
  }

  it("returns the mode for a GET, and enables it with any version [3 other transitions]", async () => {
    await start("5.0.1");
    service.simulator.project(projectId).setPrivateIpMode(false);
    assert.equal((await service.patch(modePath, { enabled: true })).status, 200);
    const response = await service.call(modePath);
    assert.equal((JSON.parse(response.text) as { enabled: boolean }).enabled, true);
  });

  it("rejects a body without a boolean, or with unknown fields, with a 400 that names the field [2.3]", async () => {
    await start();
    for (const [json, field] of [
      [{ enabled: "false" }, "enabled"],
      [{ enabled: false, enable: true }, "enable"],
      [{}, "enabled"],
    ] as const) {
      const response = await service.patch(modePath, json);
      assert.equal(response.status, 400);
      const { parameters } = JSON.parse(response.text) as { parameters: string[] };
      assert.deepEqual(parameters, [field]);
    }
    assert.equal(service.simulator.project(projectId).privateIpMode.enabled, true);
  });
});
