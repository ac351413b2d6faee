import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ErrorBody, clustersPath, json, modePath, projectId } from "./client";
import { otherProjectId, seedOf } from "./seeds";
import { useSimulator } from "./testService";

describe("control of projects", () => {
  const service = useSimulator({
    seed: seedOf([{ name: "orders", version: "7.0.12" }], { privateIpMode: { enabled: true } }),
    control: true,
  });
  const project = () => service.simulator.project(projectId);
  const control = (method: string, path: string, value?: unknown) =>
    service.send(`/control/projects${path}`, {
      method,
      ...(value === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(value) }),
    });
  const clusters = `/${projectId}/clusters`;

  it("sets private IP mode, even if a version is too low", async () => {
    project().updateCluster("orders", { version: "6.0.5" });
    const path = `/${projectId}/privateIpMode`;
    const response = await control("PATCH", path, { enabled: false });
    assert.deepEqual(json(response), { enabled: false });
    assert.equal(json<{ enabled: boolean }>(await service.call(modePath)).enabled, false);
    assert.equal(project().privateIpMode.enabled, false);
  });

  it("adds a cluster in the format of the seed", async () => {
    const cluster = { name: "reports", version: "6.0.5", peering: true };
    const response = await control("POST", clusters, cluster);
    assert.equal(response.status, 201);
    assert.equal(json<{ version: string }>(response).version, "6.0.5");
    const { version, peering, state } = project().cluster("reports");
    assert.deepEqual([version, peering, state], ["6.0.5", true, "IDLE"]);
    assert.equal((await control("POST", clusters, cluster)).status, 409);
  });

  it("changes only the fields in the body", async () => {
    project().updateCluster("orders", { peering: true, privateEndpoints: [] });
    const before = project().cluster("orders");
    const response = await control("PATCH", `${clusters}/orders`, { version: "6.0.5" });
    assert.equal(response.status, 200);
    assert.deepEqual(project().cluster("orders"), { ...before, version: "6.0.5" });
  });

  it("removes a cluster immediately", async () => {
    assert.equal((await control("DELETE", `${clusters}/orders`)).status, 200);
    assert.deepEqual(project().clusters, []);
    assert.equal((await service.call(`${clustersPath}/orders`)).status, 404);
    assert.equal((await control("DELETE", `${clusters}/orders`)).status, 404);
  });

  it("names the invalid fields of a body", async () => {
    for (const [method, path, value, field] of [
      ["PATCH", `${clusters}/orders`, { version: "6.0" }, "version"],
      ["PATCH", `${clusters}/orders`, { name: "other" }, "name"],
      ["POST", clusters, { name: "-" }, "name"],
      ["PATCH", `/${projectId}/privateIpMode`, { enabled: "no" }, "enabled"],
    ] as const) {
      const response = await control(method, path, value);
      assert.equal(response.status, 400);
      assert.deepEqual(json<ErrorBody>(response).parameters, [field]);
    }
    assert.equal(project().cluster("orders").version, "7.0.12");
  });

  it("returns 404 for a project or cluster that does not exist", async () => {
    for (const path of [`/${otherProjectId}/clusters/orders`, `${clusters}/missing`]) {
      assert.equal((await control("PATCH", path, { version: "6.0.5" })).status, 404);
    }
  });

  it("rejects requests that a website can send", async () => {
    const path = `/control/projects/${projectId}/privateIpMode`;
    const body = JSON.stringify({ enabled: false });
    const plain = await service.send(path, { method: "PATCH", body });
    assert.equal(plain.status, 400);
    const headers = { "content-type": "application/json", host: "evil.example" };
    assert.equal((await service.send(path, { method: "PATCH", headers, body })).status, 403);
    assert.equal(project().privateIpMode.enabled, true);
  });

  it("writes the state file before it responds", async () => {
    const folder = mkdtempSync(join(tmpdir(), "control-"));
    try {
      const stateFile = join(folder, "state.json");
      await service.start({ stateFile });
      await control("PATCH", `${clusters}/orders`, { version: "6.0.5" });
      assert.match(readFileSync(stateFile, "utf8"), /"version": "6\.0\.5"/);
      await service.stop();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
