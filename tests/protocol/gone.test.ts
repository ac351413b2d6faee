import assert from "node:assert/strict";
import type { Simulator } from "clouddb-simulator";
import { projectId, settingsFor, startService } from "../service";
import { type ProviderProcess, startProvider } from "./providerProcess";

const missingProject = "64a0c0ffee00000000009999";

/** What a refresh reads: a resource leaves the state only when the service shows that it is gone. */
describe("a refresh", () => {
  let service: Simulator;
  let provider: ProviderProcess | undefined;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
  });
  afterEach(async () => {
    await provider?.stop();
  });

  const start = async (
    lifecycle: "privateIpMode" | "clusterConnectionStrings",
    settings: Record<string, string> = {},
  ) => (provider = await startProvider(lifecycle, {}, { ...settingsFor(service), ...settings }));

  const recorded = {
    privateIpMode: (id: string) => ({ projectId: id, enabled: false, enabledAtAdoption: true }),
    clusterConnectionStrings: (id: string) => ({
      projectId: id.split("/")[0],
      clusterName: id.split("/")[1],
      recommended: "db+srv://orders.ab1cd.db.example",
    }),
  };

  const gone: [what: string, lifecycle: keyof typeof recorded, id: string][] = [
    ["a deleted project's mode", "privateIpMode", missingProject],
    ["a deleted project's lookup", "clusterConnectionStrings", `${missingProject}/orders`],
    ["a deleted cluster's lookup", "clusterConnectionStrings", `${projectId}/deleted`],
  ];
  for (const [what, lifecycle, id] of gone) {
    it(`removes ${what} from the state, with a warning`, async () => {
      const refreshed = await start(lifecycle);
      assert.equal((await refreshed.read(id, recorded[lifecycle](id))).id, "");
      assert.match(
        refreshed.output(),
        /warning: .*(does not exist|has no cluster).* removed from the state/,
      );
    });
  }

  for (const lifecycle of ["privateIpMode", "clusterConnectionStrings"] as const) {
    const id = lifecycle === "privateIpMode" ? projectId : `${projectId}/orders`;

    it(`fails for ${lifecycle} with a wrong apiPath, and names it`, async () => {
      const refreshed = await start(lifecycle, { CLOUDDB_API_PATH: "/api/other/v1.0" });
      await assert.rejects(
        refreshed.read(id, recorded[lifecycle](id)),
        /cannot be shown that it is gone: .*Nothing is removed from the state\. Check that baseUrl and apiPath .*https:\/\/127\.0\.0\.1:\d+\/api\/other\/v1\.0/,
      );
    });

    it(`fails for ${lifecycle} when a proxy answers 404 for everything`, async () => {
      service.faults.push({ withCredentials: true, status: 404, body: "<html>", times: Infinity });
      const refreshed = await start(lifecycle);
      await assert.rejects(
        refreshed.read(id, recorded[lifecycle](id)),
        /the 404 is not an answer of the API/,
      );
    });

    it(`fails for ${lifecycle} when the root of the API does not answer`, async () => {
      const errorCode = "RESOURCE_NOT_FOUND";
      const path = /\/groups\//;
      service.faults.push(
        {
          withCredentials: true,
          path,
          status: 404,
          body: { errorCode, error: 404 },
          times: Infinity,
        },
        { withCredentials: true, path: /v1\.0$/, status: 403, times: Infinity },
      );
      const refreshed = await start(lifecycle);
      await assert.rejects(
        refreshed.read(id, recorded[lifecycle](id)),
        /the root of the API could not be read .*403/,
      );
    });

    it(`of a first read of ${lifecycle} fails when it does not exist`, async () => {
      const refreshed = await start(lifecycle);
      const missing = id.replace(projectId, missingProject);
      await assert.rejects(
        refreshed.read(missing, {}),
        /project 64a0c0ffee00000000009999 does not exist/,
      );
    });
  }

  it("fails for a lookup whose cluster is missing from an incomplete list", async () => {
    const body = { results: [{ name: "billing" }], totalCount: 2 };
    service.faults.push({
      withCredentials: true,
      path: /\/clusters$/,
      status: 200,
      body,
      times: Infinity,
    });
    const refreshed = await start("clusterConnectionStrings");
    const id = `${projectId}/orders`;
    await assert.rejects(
      refreshed.read(id, recorded.clusterConnectionStrings(id)),
      /orders .* was not found, and the list of clusters is incomplete: 1 were read, and the service counts 2\..* Nothing is removed .*baseUrl and apiPath/,
    );
  });

  it("of a first read of a lookup names the nearest clusters", async () => {
    const refreshed = await start("clusterConnectionStrings");
    await assert.rejects(
      refreshed.read(`${projectId}/order`, {}),
      /has no cluster order\. The nearest .* orders/,
    );
  });

  it("removes a resource that version 0.1.0 recorded without an adopted value", async () => {
    const refreshed = await start("privateIpMode");
    const state = { projectId: missingProject, enabled: false };
    assert.equal((await refreshed.read(missingProject, state)).id, "");
  });

  it("keeps a project's mode if the service has no GET for it", async () => {
    const noGet = { method: "GET", path: /privateIpMode$/, status: 404, times: Infinity };
    service.faults.push({ ...noGet, withCredentials: true });
    const state = recorded.privateIpMode(projectId);
    const refreshed = await start("privateIpMode");
    assert.deepEqual((await refreshed.read(projectId, state)).props, state);
  });
}).timeout(60_000);
