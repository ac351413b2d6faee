import assert from "node:assert/strict";
import { missingProjectId, projectId, settingsFor } from "../../support/service";
import { useProvider } from "../useProvider";

/** The state of a resource, for each type. */
const recorded = {
  privateIpMode: (id: string) => ({ projectId: id, enabled: false, enabledAtAdoption: true }),
  clusterConnectionStrings: (id: string) => ({
    projectId: id.split("/")[0],
    clusterName: id.split("/")[1],
    recommended: "db+srv://orders.ab1cd.db.example",
  }),
};

for (const [lifecycle, id] of [
  ["privateIpMode", projectId],
  ["clusterConnectionStrings", `${projectId}/orders`],
] as const) {
  describe(`a refresh of ${lifecycle}`, () => {
    const { service, provider, start } = useProvider(lifecycle);
    const state = recorded[lifecycle](id);
    const missing = id.replace(projectId, missingProjectId);

    it("removes the resource from the state, with a warning, if the project does not exist", async () => {
      assert.equal((await provider.read(missing, recorded[lifecycle](missing))).id, "");
      assert.match(
        provider.output(),
        /warning: .*does not exist.*efreshing removes the .* from the state/,
      );
    });

    it("fails if apiPath is wrong, and names it", async () => {
      const environment = { ...settingsFor(service), CLOUDDB_API_PATH: "/api/other/v1.0" };
      const { read } = await start({ environment });
      await assert.rejects(
        read(id, state),
        /this does not prove that it was deleted, because apiPath may be wrong\. Nothing is removed from the state\. Check that baseUrl and apiPath .*https:\/\/127\.0\.0\.1:\d+\/api\/other\/v1\.0/,
      );
    });

    it("fails if a proxy responds to every request with 404", async () => {
      service.faults.push({ withCredentials: true, status: 404, body: "<html>", times: Infinity });
      await assert.rejects(
        provider.read(id, state),
        /this does not prove that it was deleted, .*baseUrl and apiPath[^]*\n {2}pulumi state delete <URN>/,
      );
    });

    it("fails if the service does not know the path of the clusters, and its root does not answer", async () => {
      const always = { withCredentials: true, times: Infinity };
      const body = { errorCode: "RESOURCE_NOT_FOUND", error: 404 };
      service.faults.push({ ...always, path: /\/groups\//, status: 404, body });
      service.faults.push({ ...always, path: /v1\.0$/, status: 403 });
      await assert.rejects(provider.read(id, state), /this does not prove that it was deleted/);
    });

    it("removes the resource from the state if only the code of a missing path says that the project is missing", async () => {
      const body = { errorCode: "RESOURCE_NOT_FOUND", error: 404 };
      const always = { withCredentials: true, times: Infinity };
      service.faults.push({ ...always, path: /\/groups\//, status: 404, body });
      assert.equal((await provider.read(id, state)).id, "");
    });

    it("fails if the endpoint for tokens responds with 404", async () => {
      const environment = {
        ...settingsFor(service),
        ...{ CLOUDDB_PUBLIC_KEY: "", CLOUDDB_PRIVATE_KEY: "" },
        ...{ CLOUDDB_CLIENT_ID: "svc_demo", CLOUDDB_CLIENT_SECRET: "svc-secret" },
      };
      const body = { errorCode: "GROUP_NOT_FOUND", error: 404 };
      service.faults.push({ path: /\/oauth\/token/, status: 404, body, times: Infinity });
      const { read } = await start({ environment });
      await assert.rejects(read(id, state), /responded with 404 GROUP_NOT_FOUND.*\(POST /);
    });

    it("fails without a recorded state if the project does not exist", async () => {
      await assert.rejects(
        provider.read(missing, {}),
        /project 64a0c0ffee00000000009999 does not exist/,
      );
    });
  });
}

describe("a refresh of a lookup", () => {
  const { service, provider } = useProvider("clusterConnectionStrings");

  it("removes the lookup from the state, with a warning, if the cluster does not exist", async () => {
    const id = `${projectId}/deleted`;
    assert.equal((await provider.read(id, recorded.clusterConnectionStrings(id))).id, "");
    assert.match(
      provider.output(),
      /warning: .*has no cluster.* Refreshing removes the lookup from the state/,
    );
  });

  it("fails if the cluster is missing from an incomplete list", async () => {
    const body = { results: [{ name: "billing" }], totalCount: 2 };
    const listing = { path: /\/clusters$/, withCredentials: true, times: Infinity };
    service.faults.push({ ...listing, status: 200, body });
    const id = `${projectId}/orders`;
    await assert.rejects(
      provider.read(id, recorded.clusterConnectionStrings(id)),
      /orders .* was not found, and the list of clusters may be incomplete \(1 item was read, but .*\)\..* Nothing is removed .*baseUrl and apiPath/,
    );
  });

  it("names the nearest clusters if the cluster does not exist and nothing is recorded", async () => {
    await assert.rejects(
      provider.read(`${projectId}/order`, {}),
      /has no cluster order\. The nearest .* orders/,
    );
  });
});

describe("a refresh of private IP mode", () => {
  const { service, provider } = useProvider("privateIpMode");

  it("removes a resource that version 0.1.0 recorded without an adopted value", async () => {
    const state = { projectId: missingProjectId, enabled: false };
    assert.equal((await provider.read(missingProjectId, state)).id, "");
  });

  it("keeps the recorded mode if the service has no GET for the setting", async () => {
    const get = { method: "GET", path: /privateIpMode$/, withCredentials: true };
    service.faults.push({ ...get, status: 404, times: Infinity });
    const state = recorded.privateIpMode(projectId);
    assert.deepEqual((await provider.read(projectId, state)).props, state);
  });
});
