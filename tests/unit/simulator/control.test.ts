import assert from "node:assert/strict";
import type { SeedCluster } from "../../../simulator/src";
import { type ErrorBody, json, modePath, projectId } from "./client";
import { foreignProjectId, otherProjectId, seedOf } from "./seeds";
import { useSimulator } from "./testService";

describe("control of the simulator", () => {
  const service = useSimulator({
    seed: seedOf([{ name: "orders", version: "7.0.12", peering: true }], {
      privateIpMode: { enabled: true },
    }),
    control: true,
  });
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- saves a cast in every test
  const control = async <T>(method: string, path: string, value?: unknown) => {
    const headers = { "content-type": "application/json" };
    const body = value === undefined ? {} : { headers, body: JSON.stringify(value) };
    const response = await service.send(`/control${path}`, { method, ...body });
    return { status: response.status, body: json<T>(response) };
  };
  const clusterNames = () => service.simulator.project(projectId).clusters.map(({ name }) => name);

  it("adds and removes a project, and returns projects and clusters", async () => {
    const project = { id: otherProjectId, name: "more", organization: "acme" };
    assert.equal((await control("POST", "/projects", project)).status, 201);
    assert.equal((await control("POST", "/projects", project)).status, 409);
    const stray = { ...project, id: foreignProjectId, organization: "none" };
    assert.equal((await control("POST", "/projects", stray)).status, 400);
    const { body } = await control<{ projects: { id: string }[] }>("GET", "/projects");
    assert.deepEqual(
      body.projects.map(({ id }) => id),
      [projectId, otherProjectId],
    );
    const one = await control<{ name: string }>("GET", `/projects/${otherProjectId}`);
    assert.equal(one.body.name, "more");
    const path = `/projects/${projectId}/clusters/orders`;
    assert.equal((await control<{ peering: boolean }>("GET", path)).body.peering, true);
    assert.equal((await control("DELETE", `/projects/${projectId}`)).status, 200);
    assert.equal((await control("GET", `/projects/${projectId}`)).status, 404);
    assert.deepEqual(service.simulator.projectIds(), [otherProjectId]);
  });

  it("returns the pending faults in the format that it accepts", async () => {
    const faults = [
      { method: "GET", path: "/a", status: 503, times: 1 },
      { pathPattern: "clusters$", delayMs: 5, times: 2 },
    ];
    await control("POST", "/faults", faults);
    assert.deepEqual((await control("GET", "/faults")).body, { faults });
  });

  const clusters = `/projects/${projectId}/clusters`;
  const mode = `/projects/${projectId}/privateIpMode`;

  it("adds, changes and removes a cluster, and sets private IP mode, as the library does", async () => {
    const project = service.simulator.project(projectId);
    const cluster = { name: "reports", version: "6.0.5", peering: true };
    const added = await control<{ version: string }>("POST", clusters, cluster);
    assert.deepEqual([added.status, added.body.version], [201, "6.0.5"]);
    assert.equal((await control("POST", clusters, cluster)).status, 409);
    const before = project.cluster("reports");
    await control("PATCH", `${clusters}/reports`, { version: "6.0.6" });
    assert.deepEqual(project.cluster("reports"), { ...before, version: "6.0.6" });
    assert.deepEqual((await control("PATCH", mode, { enabled: false })).body, { enabled: false });
    assert.equal(json<{ enabled: boolean }>(await service.call(modePath)).enabled, false);
    assert.equal((await control("DELETE", `${clusters}/orders`)).status, 200);
    assert.deepEqual(clusterNames(), ["reports"]);
    assert.equal((await control("DELETE", `${clusters}/orders`)).status, 404);
  });

  it("replaces a cluster by a seed in its place, as the library does", async () => {
    const project = service.simulator.project(projectId);
    project.addCluster({ name: "last" });
    const path = `${clusters}/orders`;
    const { body } = await control<SeedCluster>("GET", path);
    assert.deepEqual((await control("PUT", path, body)).body, body);
    const endpoint = { endpointId: "vpce-1", region: "eu-west-1" };
    const seed = { name: "orders", version: "6.0.5", regions: ["eu-west-1"], hostName: "renamed" };
    const replaced = await control("PUT", path, { ...seed, privateEndpoints: [endpoint] });
    assert.equal(replaced.status, 200);
    const { peering, privateEndpoints, hostName } = project.cluster("orders");
    assert.deepEqual([peering, privateEndpoints[0]?.index, hostName], [false, 0, "renamed"]);
    assert.deepEqual(clusterNames(), ["orders", "last"]);
    assert.equal((await control("PUT", path, { name: "other" })).status, 400);
    assert.equal((await control("PUT", path, { name: "orders", hostName: "last" })).status, 409);
    assert.equal((await control("PUT", `${clusters}/none`, { name: "none" })).status, 404);
    assert.equal(project.cluster("orders").version, "6.0.5");
  });

  it("names the invalid fields of a body", async () => {
    for (const [method, path, value, field] of [
      ["PATCH", `${clusters}/orders`, { version: "6.0" }, "version"],
      ["PATCH", `${clusters}/orders`, { name: "other" }, "name"],
      ["POST", clusters, { name: "-" }, "name"],
      ["PATCH", mode, { enabled: "no" }, "enabled"],
    ] as const) {
      const { status, body } = await control<ErrorBody>(method, path, value);
      assert.equal(status, 400);
      assert.ok(body.detail.includes(field), body.detail);
    }
    assert.equal(service.simulator.project(projectId).cluster("orders").version, "7.0.12");
  });

  it("rejects requests that a website can send", async () => {
    const path = `/control${mode}`;
    const body = JSON.stringify({ enabled: false });
    const plain = await service.send(path, { method: "PATCH", body });
    assert.equal(plain.status, 400);
    const headers = { "content-type": "application/json", host: "evil.example" };
    assert.equal((await service.send(path, { method: "PATCH", headers, body })).status, 403);
    assert.equal(service.simulator.project(projectId).privateIpMode.enabled, true);
  });
});
