import assert from "node:assert/strict";
import { SeedError, type Simulator, startSimulator } from "../../../simulator/src";
import { apiPath, call, type ErrorBody, json, projectId, send } from "./client";
import { seedOf } from "./seeds";

const modePath = `/groups/${projectId}/privateIpMode`;

describe("faults", function () {
  this.timeout(30_000);
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await startSimulator({
      seed: seedOf([{ name: "orders" }], { privateIpMode: { enabled: true } }),
    });
  });
  afterEach(() => simulator.stop());
  const status = async (path: string) => (await call(simulator, path)).status;

  it("replace the status of the next response only [7.1]", async () => {
    simulator.faults.push({ status: 503 });
    const response = await send(simulator, apiPath);
    assert.equal(response.status, 503);
    assert.equal(json<ErrorBody>(response).reason, "Service Unavailable");
    assert.equal(await status(""), 200);
  });

  it("match by method, path and credentials", async () => {
    simulator.faults.push(
      { method: "patch", status: 500 },
      { path: /privateIpMode$/, withCredentials: true, status: 404, times: 2 },
      { path: `${apiPath}/groups`, withCredentials: false, status: 502 },
    );
    assert.equal(await status(modePath), 404);
    assert.equal(await status(`/groups/${projectId}/clusters`), 200);
    assert.equal(await status(modePath), 404);
    assert.equal(await status(modePath), 200);
    assert.equal((await send(simulator, `${apiPath}/groups?pretty=true`)).status, 502);
    assert.equal(simulator.faults.pending.length, 1);
    simulator.faults.clear();
    assert.deepEqual(simulator.faults.pending, []);
  });

  it("apply to all requests if times is Infinity", async () => {
    simulator.faults.push({ status: 429, times: Infinity, headers: { "Retry-After": "1" } });
    for (let at = 0; at < 5; at += 1) {
      const response = await send(simulator, apiPath);
      assert.equal(response.status, 429);
      assert.equal(response.headers["retry-after"], "1");
    }
  });

  it("send the given body unchanged, as HTML or JSON", async () => {
    simulator.faults.push(
      { status: 503, body: "<html>down</html>" },
      { status: 400, body: { odd: null } },
    );
    const html = await send(simulator, apiPath);
    assert.equal(html.text, "<html>down</html>");
    assert.match(String(html.headers["content-type"]), /^text\/html/);
    assert.deepEqual(json(await send(simulator, apiPath)), { odd: null });
  });

  it("reset the connection before or after the service processes the request", async () => {
    const disable = () => call(simulator, modePath, { method: "PATCH", json: { enabled: false } });
    simulator.faults.push({ reset: true, withCredentials: true });
    await assert.rejects(disable(), /ECONNRESET|hang up/);
    assert.equal(simulator.project(projectId).privateIpMode.enabled, true);
    simulator.faults.push({ reset: "after", withCredentials: true });
    await assert.rejects(disable(), /ECONNRESET|hang up/);
    assert.equal(simulator.project(projectId).privateIpMode.enabled, false);
    const reset = simulator.requests.filter(({ status }) => status === 0);
    assert.equal(reset.length, 2);
    assert.ok(reset.every(({ faulty }) => faulty));
  });

  it("truncate a body", async () => {
    simulator.faults.push({ truncate: true, withCredentials: true });
    await assert.rejects(call(simulator, `/groups/${projectId}/clusters`), /aborted|ECONNRESET/);
    assert.equal(await status(`/groups/${projectId}/clusters`), 200);
  });

  it("delay a response", async () => {
    simulator.faults.push({ path: apiPath, delayMs: 300 });
    const order: string[] = [];
    const slow = send(simulator, apiPath).then(() => order.push("slow"));
    await send(simulator, `${apiPath}/groups`).then(() => order.push("quick"));
    await slow;
    assert.deepEqual(order, ["quick", "slow"]);
  });

  it("throw an error with the path of each problem if invalid", () => {
    assert.throws(
      () => {
        simulator.faults.push({ status: 99 });
      },
      (error) => error instanceof SeedError && error.message.includes("status:"),
    );
  });
});
