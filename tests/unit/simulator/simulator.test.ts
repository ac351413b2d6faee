import assert from "node:assert/strict";
import { ServiceError } from "../../../simulator/src";
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
