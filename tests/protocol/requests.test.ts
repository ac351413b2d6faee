import assert from "node:assert/strict";
import type { Simulator } from "clouddb-simulator";
import { projectId, settingsFor, startService } from "../service";
import { type ProviderProcess, startProvider } from "./providerProcess";

describe("a phase of many lookups, in one provider process", () => {
  let service: Simulator;
  let provider: ProviderProcess;

  before(async () => {
    service = await startService();
    for (let i = 0; i < 1196; i += 1) service.project(projectId).addCluster({ name: `c-${i}` });
    provider = await startProvider("clusterConnectionStrings", {}, settingsFor(service));
  });
  after(async () => {
    await provider.stop();
    await service.stop();
  });

  it("makes one request per 500 clusters of its project, and one challenge", async () => {
    assert.equal(service.project(projectId).clusters.length, 1200);
    const lookups = Array.from({ length: 50 }, (_, i) =>
      provider.check({ projectId, clusterName: `c-${i}` }),
    );
    for (const { inputs, failures } of await Promise.all(lookups)) {
      assert.deepEqual(failures, []);
      assert.equal(typeof inputs["recommended"], "string");
    }
    const challenges = service.requests.filter(({ challenged }) => challenged).length;
    assert.equal(challenges, 1);
    assert.equal(service.requests.length, 3 + challenges);
  });
});
