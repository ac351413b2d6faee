import assert from "node:assert/strict";
import { projectId } from "../../support/service";
import { useProvider } from "../useProvider";

describe("PrivateIpMode if the service has no GET for the setting", () => {
  const { service, provider } = useProvider("privateIpMode");
  const disable = { projectId, enabled: false };

  beforeEach(() => {
    const get = { method: "GET", path: /privateIpMode$/, withCredentials: true };
    service.faults.push({ ...get, status: 404, times: Infinity });
  });

  it("refuses to disable an unrecorded mode while a cluster runs 6.0", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    const anotherProject = { projectId: "64a0c0ffee0000000000a0ff", enabled: false };
    for (const olds of [{}, anotherProject]) {
      const { failures } = await provider.check(disable, olds);
      assert.deepEqual(
        failures.map(({ property }) => property),
        ["enabled"],
      );
    }
  });

  it("changes an unrecorded mode, and uses the recorded one afterwards", async () => {
    const { inputs } = await provider.check(disable);
    const { outs } = await provider.create(inputs);
    assert.deepEqual(outs, disable);
    assert.equal(service.project().privateIpMode.enabled, false);

    service.project().updateCluster("orders", { version: "6.0.5" });
    const again = await provider.check(disable, inputs);
    assert.deepEqual(again, { inputs, failures: [] });
    assert.doesNotMatch(provider.output(), /differs from what is recorded/);
    assert.equal((await provider.diff(projectId, outs, again.inputs)).changes, false);
    assert.deepEqual((await provider.read(projectId, outs)).props, disable);
    assert.equal(service.patches().length, 1);
  });

  it("cannot be read by its ID", async () => {
    await assert.rejects(
      provider.read(projectId, {}),
      /private IP mode of project \w+ cannot be read, because the service does not expose the setting\. Declare the resource in a program instead/,
    );
  });
});
