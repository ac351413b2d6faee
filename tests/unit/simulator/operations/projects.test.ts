import assert from "node:assert/strict";
import { clustersPath, type ErrorBody, json, projectId } from "../client";
import { credentialsSeed, key } from "../seeds";
import { useSimulator } from "../testService";

describe("project operations", () => {
  const service = useSimulator({ seed: credentialsSeed });
  const chief = key("chief");

  it("creates a project for an owner of the organization, and clusters in it [7.1, 2.1, 1 rule 1]", async () => {
    const response = await service.call("/groups", {
      key: chief,
      method: "POST",
      json: { name: "new" },
    });
    assert.equal(response.status, 201);
    const { id, clusterCount } = json<{ id: string; clusterCount: number }>(response);
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.equal(clusterCount, 0);
    const clusters = `/groups/${id}/clusters`;
    const created = await service.call(clusters, {
      key: chief,
      method: "POST",
      json: { name: "first" },
    });
    assert.equal(created.status, 201);
    assert.equal(
      (await service.call("/groups", { method: "POST", json: { name: "x" } })).status,
      403,
    );
  });

  it("rejects a duplicate name with 409, and a misspelled field with a 400 that names it [7.1]", async () => {
    const post = (json: object) => service.call("/groups", { key: chief, method: "POST", json });
    assert.equal((await post({ name: "orders" })).status, 409);
    assert.deepEqual(json<ErrorBody>(await post({ nam: "x", name: "x" })).parameters, ["nam"]);
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
