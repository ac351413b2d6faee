import assert from "node:assert/strict";
import { request } from "node:https";
import { type Fault, ServiceError } from "../../../simulator/src";
import { waitUntil } from "../../support/waitUntil";
import { useService } from "../../support/service";
import { apiPath, call, clustersPath, modePath, patch, projectId, send } from "./client";
import { seedOf } from "./seeds";

describe("the library", () => {
  const service = useService(
    seedOf([{ name: "orders", version: "7.0.12" }], { privateIpMode: { enabled: true } }),
  );

  it("records requests with their operation, status and caller", async () => {
    await call(service, `${clustersPath}?itemsPerPage=500`);
    await patch(service, modePath, { enabled: false });
    await send(service, `${apiPath}/nowhere`);
    assert.deepEqual(
      service.requests.map(({ method, operation, status, principal, challenged }) => [
        method,
        operation,
        status,
        principal,
        challenged,
      ]),
      [
        ["GET", "listClusters", 401, undefined, true],
        ["GET", "listClusters", 200, "demo", false],
        ["PATCH", "updatePrivateIpMode", 401, undefined, true],
        ["PATCH", "updatePrivateIpMode", 200, "demo", false],
        ["GET", undefined, 401, undefined, true],
      ],
    );
    const [, listing, , change] = service.requests;
    assert.equal(listing?.path, `${apiPath}${clustersPath}`);
    assert.deepEqual({ ...listing.query }, { itemsPerPage: "500" });
    assert.deepEqual(change?.body, { enabled: false });
  });

  it("throws an error that names the missing project or cluster, or the invalid field", () => {
    assert.throws(() => service.project("x"), ServiceError);
    const project = service.project(projectId);
    assert.throws(() => project.cluster("x"), /No cluster named "x"/);
    assert.throws(
      () => project.updateCluster("orders", { version: "seven" }),
      /must be of the form.*\n {2}→ at version$/,
    );
    assert.throws(() => project.addCluster({ name: "orders" }), /already exists/);
    for (const seconds of [-1, NaN]) {
      assert.throws(() => {
        service.simulator.clock.advanceSeconds(seconds);
      }, RangeError);
    }
    assert.throws(
      () => project.updateCluster("orders", { state: "UPDATING", readyInSeconds: 1e308 }),
      /Too big.*\n {2}→ at readyInSeconds$/,
    );
  });

  it("restores the projects of the seed and the time on reset", () => {
    const { simulator } = service;
    simulator.addProject({ id: "64a0c0ffee0000000000a00f", name: "b", organization: "acme" });
    simulator.clock.advanceSeconds(1e6);
    simulator.reset();
    assert.throws(() => simulator.project("64a0c0ffee0000000000a00f"), ServiceError);
    assert.ok(Math.abs(simulator.clock.now() - Date.now()) < 1e6);
  });
});

describe("the request log", () => {
  const service = useService(seedOf([{ name: "orders" }]));

  /** Sends a request, and returns the status in the log when its response begins. */
  const statusInLog = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { ca: service.ca, agent: false };
      const outgoing = request(
        new URL(`${apiPath}${clustersPath}`, service.url),
        options,
        (incoming) => {
          resolve(service.requests.at(-1)?.status);
          // A truncated response resets the connection.
          incoming.on("error", () => undefined).resume();
        },
      );
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
    const response = send(service, `${apiPath}${clustersPath}`);
    await waitUntil("the request arrives", () => requests.length > 0);
    service.simulator.reset();
    assert.equal((await response).status, 401);
    assert.deepEqual(requests, []);
  });
});
