import assert from "node:assert/strict";
import { SeedError } from "../../../../simulator/src";
import { apiPath, clustersPath, type ErrorBody, json, modePath, projectId } from "../client";
import { seedOf } from "../seeds";
import { useSimulator } from "../testService";

describe("faults", () => {
  const service = useSimulator({
    seed: seedOf([{ name: "orders" }], { privateIpMode: { enabled: true } }),
  });
  const status = async (path: string) => (await service.call(path)).status;

  it("replaces the status of the next response only [7.1]", async () => {
    service.simulator.faults.push({ status: 503 });
    const response = await service.send(apiPath);
    assert.equal(response.status, 503);
    assert.equal(json<ErrorBody>(response).reason, "Service Unavailable");
    assert.equal(await status(""), 200);
  });

  it("matches requests by method, path and credentials", async () => {
    service.simulator.faults.push(
      { method: "patch", status: 500 },
      { path: /privateIpMode$/, withCredentials: true, status: 404, times: 2 },
      { path: `${apiPath}/groups`, withCredentials: false, status: 502 },
    );
    assert.equal(await status(modePath), 404);
    assert.equal(await status(clustersPath), 200);
    assert.equal(await status(modePath), 404);
    assert.equal(await status(modePath), 200);
    assert.equal((await service.send(`${apiPath}/groups?pretty=true`)).status, 502);
    assert.equal(service.simulator.faults.pending.length, 1);
    service.simulator.faults.clear();
    assert.deepEqual(service.simulator.faults.pending, []);
  });

  it("matches every request with a regular expression that has the flag g", async () => {
    service.simulator.faults.push({ path: /clusters/g, status: 503, times: 3 });
    for (let at = 0; at < 3; at += 1) {
      assert.equal((await service.send(`${apiPath}${clustersPath}`)).status, 503);
    }
  });

  it("applies a fault to all requests if times is Infinity", async () => {
    service.simulator.faults.push({
      status: 429,
      times: Infinity,
      headers: { "Retry-After": "1" },
    });
    for (let at = 0; at < 5; at += 1) {
      const response = await service.send(apiPath);
      assert.equal(response.status, 429);
      assert.equal(response.headers["retry-after"], "1");
    }
  });

  it("sends the body of the fault unchanged, as HTML or JSON", async () => {
    service.simulator.faults.push(
      { status: 503, body: "<html>down</html>" },
      { status: 400, body: { odd: null } },
    );
    const html = await service.send(apiPath);
    assert.equal(html.text, "<html>down</html>");
    assert.match(String(html.headers["content-type"]), /^text\/html/);
    assert.deepEqual(json(await service.send(apiPath)), { odd: null });
  });

  it("resets the connection before or after the service processes the request", async () => {
    const disable = () => service.call(modePath, { method: "PATCH", json: { enabled: false } });
    service.simulator.faults.push({ reset: true, withCredentials: true });
    await assert.rejects(disable(), /ECONNRESET|hang up/);
    assert.equal(service.simulator.project(projectId).privateIpMode.enabled, true);
    service.simulator.faults.push({ reset: "after", withCredentials: true });
    await assert.rejects(disable(), /ECONNRESET|hang up/);
    assert.equal(service.simulator.project(projectId).privateIpMode.enabled, false);
    const reset = service.simulator.requests.filter(({ status }) => status === 0);
    assert.equal(reset.length, 2);
    assert.ok(reset.every(({ faulty }) => faulty));
  });

  it("truncates a body", async () => {
    service.simulator.faults.push({ truncate: true, withCredentials: true });
    await assert.rejects(service.call(clustersPath), /aborted|ECONNRESET/);
    assert.equal(await status(clustersPath), 200);
  });

  it("delays a response", async () => {
    service.simulator.faults.push({ path: apiPath, delayMs: 300 });
    const order: string[] = [];
    const slow = service.send(apiPath).then(() => order.push("slow"));
    await service.send(`${apiPath}/groups`).then(() => order.push("quick"));
    await slow;
    assert.deepEqual(order, ["quick", "slow"]);
  });

  it("throws an error with the path of each problem if a fault is invalid", () => {
    assert.throws(
      () => {
        service.simulator.faults.push({ status: 99 });
      },
      (error) => error instanceof SeedError && error.message.includes("status:"),
    );
  });
});
