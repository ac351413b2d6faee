import assert from "node:assert/strict";
import { sendJson, withDigest } from "../../foreignService";
import { useForeignService } from "../useProvider";
import { disable, patchCount, projectId, respondWith } from "./clusterService";

describe("with a service that is not the simulator, the provider", () => {
  const start = useForeignService();

  it("fails a lookup of a cluster that is being deleted, without a hint to set waitSeconds", async () => {
    const deleting = { name: "orders", stateName: "DELETING", connectionStrings: {} };
    const { check } = await start(
      "clusterConnectionStrings",
      respondWith({ clusters: [deleting] }),
    );
    const { failures } = await check({ projectId, clusterName: "orders" });
    assert.match(
      failures[0]?.reason ?? "",
      /orders \(state DELETING\) .* being deleted: wait until it is gone, .* the cluster\.$/,
    );
    assert.doesNotMatch(failures[0]?.reason ?? "", /waitSeconds/);
  });

  for (const lifecycle of ["privateIpMode", "clusterConnectionStrings"] as const) {
    it(`keeps a recorded ${lifecycle} on refresh if every response is a 404`, async () => {
      const notFound = { errorCode: "RESOURCE_NOT_FOUND", error: 404, reason: "Not Found" };
      const { read } = await start(
        lifecycle,
        withDigest(({ path }, response) => {
          sendJson(response, 404, { ...notFound, parameters: [path] });
        }),
      );
      const lookup = lifecycle === "clusterConnectionStrings";
      const id = lookup ? `${projectId}/orders` : projectId;
      const state = lookup
        ? { projectId, clusterName: "orders", recommended: "db+srv://orders.ab1cd.db.example" }
        : { ...disable, enabledAtAdoption: true };
      await assert.rejects(
        read(id, state),
        /this does not prove that it was deleted: the service's list of projects could not be read .*Check that baseUrl and apiPath .*\/api\/service\/v1\.0/,
      );
    });
  }

  it("allows a disable within 5 s if the service never sends a challenge", async () => {
    const { check, create, service } = await start(
      "privateIpMode",
      ({ method, path }, response) => {
        const isMode = path.endsWith("/privateIpMode");
        const body = isMode ? { enabled: method !== "PATCH" } : { results: [], totalCount: 0 };
        sendJson(response, 200, body);
      },
    );
    const began = Date.now();
    await create((await check(disable)).inputs);
    assert.equal(patchCount(service), 1);
    assert.ok(Date.now() - began < 5000);
  });

  it("times out after waitSeconds if every response is slow", async () => {
    const { create } = await start(
      "clusterConnectionStrings",
      withDigest((_request, response) => {
        setTimeout(() => {
          sendJson(response, 200, { results: [], totalCount: 0 });
        }, 1500);
      }),
    );
    const began = Date.now();
    const waiting = { projectId, clusterName: "orders", waitSeconds: 2 };
    await assert.rejects(create(waiting), /Timed out after 2 s \(waitSeconds: 2\)/);
    assert.ok(Date.now() - began < 4000);
  });
});
