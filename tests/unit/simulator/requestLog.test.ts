import assert from "node:assert/strict";
import { request } from "node:https";
import type { Fault } from "../../../simulator/src";
import { waitUntil } from "../../support/waitUntil";
import { useService } from "../../support/service";
import { apiPath, call, clustersPath, send } from "./client";
import { seedOf } from "./seeds";

const list = `${apiPath}${clustersPath}`;

describe("the request log", () => {
  const service = useService(seedOf([{ name: "orders" }]));

  /** Sends a request, and returns the status in the log when its response begins. */
  const statusInLog = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { ca: service.ca, agent: false };
      const outgoing = request(new URL(list, service.url), options, (incoming) => {
        resolve(service.requests.at(-1)?.status);
        // A truncated response resets the connection.
        incoming.on("error", () => undefined).resume();
      });
      outgoing.on("error", reject).end();
    });

  for (const [what, fault, status] of [
    ["a response", undefined, 401],
    ["an injected error", { status: 503 }, 503],
    ["a truncated response", { truncate: true }, 401],
  ] as [string, Fault | undefined, number][]) {
    it(`contains the request and its status before the first byte of ${what}`, async () => {
      if (fault) service.faults.push(fault);
      assert.equal(await statusInLog(), status);
    });
  }

  it("contains a delayed request with status 0 until its response is sent", async () => {
    const { requests, faults } = service;
    faults.push({ delayMs: 300 });
    const response = call(service, clustersPath);
    await waitUntil("the request arrives", () => requests.length > 0);
    assert.deepEqual(
      requests.map(({ status, operation, faulty }) => ({ status, operation, faulty })),
      [{ status: 0, operation: "listClusters", faulty: true }],
    );
    await response;
    assert.deepEqual(
      requests.map(({ status }) => status),
      [401, 200],
    );
  });

  it("does not contain a request that arrived before a reset, even if its response is sent later", async () => {
    const { requests, faults } = service;
    faults.push({ delayMs: 100 });
    const response = send(service, list);
    await waitUntil("the request arrives", () => requests.length > 0);
    service.simulator.reset();
    assert.equal((await response).status, 401);
    assert.deepEqual(requests, []);
  });
});
