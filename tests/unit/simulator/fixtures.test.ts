import assert from "node:assert/strict";
import { type Fixtures, fixtures, projectId } from "../../../simulator/src/fixtures";
import { type ClusterBody, clustersPath, json, modePath } from "./client";
import { useSimulator } from "./testService";

describe("the fixtures", () => {
  const service = useSimulator({ seed: {} }, "test");
  const start = (name: keyof Fixtures) => service.start({ seed: fixtures[name] });
  const strings = async (cluster: string) =>
    json<ClusterBody>(await service.call(`${clustersPath}/${cluster}`)).connectionStrings;
  const disable = async () =>
    (await service.call(modePath, { method: "PATCH", json: { enabled: false } })).status;

  it("all start, with one project", async () => {
    for (const name of Object.keys(fixtures) as (keyof Fixtures)[]) {
      await start(name);
      assert.deepEqual(service.simulator.projectIds(), [projectId]);
    }
  });

  it("allow a disable in peered, and refuse it in mixedVersions", async () => {
    await start("peered");
    assert.equal(await disable(), 200);
    await start("mixedVersions");
    assert.ok((await disable()) >= 400);
  });

  it("have the strings that they are named after", async () => {
    await start("peered");
    assert.ok((await strings("orders")).privateSrv);
    await start("legacy");
    assert.ok((await strings("billing")).legacySrv);
    await start("privateEndpoints");
    assert.equal((await strings("analytics")).privateEndpoint?.length, 2);
  });
});
