import assert from "node:assert/strict";
import { projectId, settingsFor } from "../../service";
import { useProvider } from "../useProvider";

describe("the version check", () => {
  const { service, provider, start } = useProvider("privateIpMode");
  const disable = { projectId, enabled: false };
  const reasons = async ({ check } = provider) =>
    (await check(disable)).failures.map(({ reason }) => reason);

  it("refuses disabling in check, and names every cluster below 7.0.0 with its version", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    service.project().updateCluster("billing", { version: "5.0.1" });
    const { failures } = await provider.check(disable);
    assert.equal(failures.length, 1);
    assert.equal(failures[0]?.property, "enabled");
    assert.match(failures[0].reason, /2 of its 4 clusters/);
    assert.match(failures[0].reason, /billing +5\.0\.1\n +orders +6\.0\.5\n/);
  });

  it("refuses disabling in create if a cluster that runs 6.0 appeared after check", async () => {
    const { inputs } = await provider.check(disable);
    service.project().addCluster({ name: "late", version: "6.0.5" });
    await assert.rejects(provider.create(inputs), /late +6\.0\.5/);
    assert.equal(service.patches().length, 0);
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  it("reads the clusters again before it retries the change after a 429", async () => {
    const { inputs } = await provider.check(disable);
    service.faults.push({ method: "PATCH", status: 429, headers: { "retry-after": "1" } });
    const creating = provider.create(inputs);
    while (service.patches().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    service.project().addCluster({ name: "late", version: "6.0.5" });
    await assert.rejects(creating, /late +6\.0\.5/);
    assert.equal(service.patches().length, 1);
    assert.equal(service.project().privateIpMode.enabled, true);
  });
  it("names every cluster and the setting fieldPrefix if the prefix is wrong", async () => {
    const environment = { ...settingsFor(service), CLOUDDB_FIELD_PREFIX: "other" };
    const [reason] = await reasons(await start({ environment }));
    assert.match(reason ?? "", /4 of its 4 clusters[^]*check the setting fieldPrefix/);
  });

  it("reads no clusters if the mode is already off", async () => {
    service.project().setPrivateIpMode(false);
    await provider.check(disable);
    assert.deepEqual(service.listings(), []);
  });
});
