import assert from "node:assert/strict";
import type { Snapshot } from "../../../simulator/src";
import {
  type ClusterBody,
  type ErrorBody,
  clustersPath,
  json,
  modePath,
  projectId,
} from "./client";
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

  it("lists its endpoints", async () => {
    const { body } = await control<{ endpoints: { method: string; path: string }[] }>("GET", "");
    const endpoints = body.endpoints.map(({ method, path }) => `${method} ${path}`);
    assert.ok(endpoints.includes("POST /control/projects/:projectId/clusters"));
    assert.equal(new Set(endpoints).size, endpoints.length);
  });

  it("adds a project, and returns projects and clusters", async () => {
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
  });

  it("returns the pending faults in the format that it accepts", async () => {
    const faults = [
      { method: "GET", path: "/a", status: 503, times: 1 },
      { pathPattern: "clusters$", delayMs: 5, times: 2 },
    ];
    await control("POST", "/faults", faults);
    assert.deepEqual((await control("GET", "/faults")).body, { faults });
  });

  it("resolves host names, and revokes the tokens of one service account", async () => {
    const uri = json<ClusterBody>(await service.call(`${clustersPath}/orders`)).connectionStrings;
    const query = (target = "", from = "internet") =>
      `/resolve?${new URLSearchParams({ target, from }).toString()}`;
    const { body } = await control<{ resolution: object }>(
      "GET",
      query(uri.privateSrv, "peeredNetwork"),
    );
    assert.deepEqual(
      body.resolution,
      service.simulator.resolve(uri.privateSrv ?? "", "peeredNetwork"),
    );
    assert.deepEqual((await control("GET", query("none.example"))).body, { resolution: null });
    assert.equal((await control("GET", query("none.example", "moon"))).status, 400);
    assert.equal((await control("DELETE", "/tokens/svc_demo")).status, 200);
  });

  it("restores the projects and the time of a snapshot, which contains no credentials", async () => {
    const { simulator } = service;
    simulator.project(projectId).addCluster({ name: "new", state: "CREATING", readyInSeconds: 60 });
    const { body: snapshot } = await control<Snapshot>("GET", "/snapshot");
    assert.ok(!JSON.stringify(snapshot).includes("demo"));
    simulator.clock.advanceSeconds(120);
    simulator.project(projectId).removeCluster("orders");
    assert.equal(simulator.project(projectId).cluster("new").state, "IDLE");
    const expected = simulator.snapshot();

    assert.equal((await control("PUT", "/snapshot", snapshot)).status, 200);
    assert.deepEqual(clusterNames(), ["orders", "new"]);
    assert.equal(simulator.project(projectId).cluster("new").state, "CREATING");
    assert.ok(Math.abs(simulator.clock.now() - snapshot.now) < 30_000);
    simulator.restore(expected);
    assert.deepEqual(clusterNames(), ["new"]);
    assert.equal(simulator.project(projectId).cluster("new").state, "IDLE");
  });

  it("changes nothing if a snapshot is invalid", async () => {
    const { projects, now } = service.simulator.snapshot();
    for (const wrong of [
      [...projects, ...projects],
      projects.map((project) => ({ ...project, organization: "none" })),
      projects.map((project) => ({
        ...project,
        clusters: [{ name: "same" }, { name: "same" }],
      })),
    ]) {
      const { status } = await control("PUT", "/snapshot", { now: now + 1e9, projects: wrong });
      assert.ok(status === 400 || status === 409);
      assert.deepEqual(clusterNames(), ["orders"]);
      assert.ok(service.simulator.clock.now() < now + 1e8);
    }
    for (const wrong of [-1, 1e300]) {
      assert.throws(
        () => {
          service.simulator.restore({ now: wrong, projects });
        },
        { name: "SeedError", message: /The snapshot is not valid:\n.*\n {2}→ at now$/ },
      );
    }
    service.simulator.restore({ now: Date.parse("9998-12-31"), projects });
    assert.equal((await control("POST", "/clock", { advanceSeconds: 1e9 })).status, 400);
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

  it("names the invalid fields of a body", async () => {
    for (const [method, path, value, field] of [
      ["PATCH", `${clusters}/orders`, { version: "6.0" }, "version"],
      ["PATCH", `${clusters}/orders`, { name: "other" }, "name"],
      ["POST", clusters, { name: "-" }, "name"],
      ["PATCH", mode, { enabled: "no" }, "enabled"],
    ] as const) {
      const { status, body } = await control<ErrorBody>(method, path, value);
      assert.equal(status, 400);
      assert.deepEqual(body.parameters, [field]);
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
