import assert from "node:assert/strict";
import { SeedError, type Simulator, startSimulator } from "../../../simulator/src";
import { API, call, type ErrorBody, json, PROJECT, send } from "./client";
import { worldOf } from "./worlds";

const MODE = `/groups/${PROJECT}/privateIpMode`;

describe("faults", function () {
  this.timeout(30_000);
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await startSimulator({
      seed: worldOf([{ name: "orders" }], { privateIpMode: { enabled: true } }),
    });
  });
  afterEach(() => simulator.stop());
  const status = async (path: string) => (await call(simulator, path)).status;

  it("replace the status of the next response only [7.1]", async () => {
    simulator.faults.push({ status: 503 });
    const response = await send(simulator, API);
    assert.equal(response.status, 503);
    assert.equal(json<ErrorBody>(response).reason, "Service Unavailable");
    assert.equal(await status(""), 200);
  });

  it("match by method, path and credentials", async () => {
    simulator.faults.push(
      { method: "patch", status: 500 },
      { path: /privateIpMode$/, withCredentials: true, status: 404, times: 2 },
      { path: `${API}/groups`, withCredentials: false, status: 502 },
    );
    assert.equal(await status(MODE), 404);
    assert.equal(await status(`/groups/${PROJECT}/clusters`), 200);
    assert.equal(await status(MODE), 404);
    assert.equal(await status(MODE), 200);
    assert.equal((await send(simulator, `${API}/groups?pretty=true`)).status, 502);
    assert.equal(simulator.faults.pending.length, 1);
    simulator.faults.clear();
    assert.deepEqual(simulator.faults.pending, []);
  });

  it("apply to all requests if times is Infinity", async () => {
    simulator.faults.push({ status: 429, times: Infinity, headers: { "Retry-After": "1" } });
    for (let at = 0; at < 5; at++) {
      const response = await send(simulator, API);
      assert.equal(response.status, 429);
      assert.equal(response.headers["retry-after"], "1");
    }
  });

  it("send the given body unchanged, as HTML or JSON", async () => {
    simulator.faults.push(
      { status: 503, body: "<html>down</html>" },
      { status: 400, body: { odd: null } },
    );
    const html = await send(simulator, API);
    assert.equal(html.text, "<html>down</html>");
    assert.match(String(html.headers["content-type"]), /^text\/html/);
    assert.deepEqual(json(await send(simulator, API)), { odd: null });
  });

  it("reset the connection before or after the service processes the request", async () => {
    const disable = () => call(simulator, MODE, { method: "PATCH", json: { enabled: false } });
    simulator.faults.push({ reset: true, withCredentials: true });
    await assert.rejects(disable(), /ECONNRESET|hang up/);
    assert.equal(simulator.project(PROJECT).privateIpMode.enabled, true);
    simulator.faults.push({ reset: "after", withCredentials: true });
    await assert.rejects(disable(), /ECONNRESET|hang up/);
    assert.equal(simulator.project(PROJECT).privateIpMode.enabled, false);
    const reset = simulator.requests.filter(({ status }) => status === 0);
    assert.equal(reset.length, 2);
    assert.ok(reset.every(({ faulty }) => faulty));
  });

  it("truncate a body", async () => {
    simulator.faults.push({ truncate: true, withCredentials: true });
    await assert.rejects(call(simulator, `/groups/${PROJECT}/clusters`), /aborted|ECONNRESET/);
    assert.equal(await status(`/groups/${PROJECT}/clusters`), 200);
  });

  it("delay a response", async () => {
    simulator.faults.push({ path: API, delayMs: 300 });
    const order: string[] = [];
    const slow = send(simulator, API).then(() => order.push("slow"));
    await send(simulator, `${API}/groups`).then(() => order.push("quick"));
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
