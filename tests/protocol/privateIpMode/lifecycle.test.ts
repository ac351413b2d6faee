import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { projectId } from "../../service";
import { useProvider } from "../useProvider";

describe("PrivateIpMode", () => {
  const { service, provider } = useProvider("privateIpMode");
  const disable = { projectId, enabled: false };

  it("turns the mode off and records its previous value", async () => {
    const { inputs } = await provider.check(disable);
    const { id, outs } = await provider.create(inputs);
    assert.equal(id, projectId);
    assert.deepEqual(outs, { ...disable, enabledAtAdoption: true });
    assert.equal(service.project().privateIpMode.enabled, false);
  });

  it("changes nothing if the mode already has the requested value", async () => {
    service.project().setPrivateIpMode(false);
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { inputs, failures } = await provider.check(disable);
    assert.deepEqual(failures, []);
    assert.deepEqual((await provider.create(inputs)).outs, {
      ...disable,
      enabledAtAdoption: false,
    });
    assert.equal(service.patches().length, 0);
  });

  it("enables the mode although a cluster runs 6.0", async () => {
    service.project().setPrivateIpMode(false);
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { inputs, failures } = await provider.check({ projectId, enabled: true });
    assert.deepEqual(failures, []);
    await provider.create(inputs);
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  it("reports the reason when the service refuses the change", async () => {
    const { inputs } = await provider.check(disable);
    service.faults.push({
      method: "PATCH",
      status: 400,
      body: {
        detail: "A backup is running.",
        error: 400,
        errorCode: "CANNOT_UPDATE_PRIVATE_IP_MODE",
        parameters: [],
        reason: "Bad Request",
      },
    });
    await assert.rejects(
      provider.create(inputs),
      /the service refused to disable .*CANNOT_UPDATE_PRIVATE_IP_MODE.*A backup is running/,
    );
  });

  it("keeps the adopted value when a replacement for the same project is checked", async () => {
    const { inputs } = await provider.check(disable);
    const { outs } = await provider.create(inputs);
    await provider.check(disable, inputs);
    const replacement = await provider.check(disable);
    assert.equal(replacement.inputs["enabledAtAdoption"], outs["enabledAtAdoption"]);
    assert.equal(outs["enabledAtAdoption"], true);
  });

  it("updates in place when enabled changes, and is replaced when the project changes", async () => {
    const { inputs } = await provider.check(disable);
    const { outs } = await provider.create(inputs);
    const enable = (await provider.check({ projectId, enabled: true }, inputs)).inputs;
    assert.deepEqual(await provider.diff(projectId, outs, enable), { changes: true, replaces: [] });
    const updated = await provider.update(projectId, outs, enable);
    assert.deepEqual(updated, { projectId, enabled: true, enabledAtAdoption: true });
    assert.equal(service.project().privateIpMode.enabled, true);
    assert.deepEqual(await provider.diff(projectId, outs, { ...disable, projectId: "other" }), {
      changes: true,
      replaces: ["projectId"],
    });
  });

  it("shows the current mode on refresh after a change outside of the stack", async () => {
    const { inputs } = await provider.check(disable);
    const { outs } = await provider.create(inputs);
    service.project().setPrivateIpMode(true);
    const read = await provider.read(projectId, outs);
    assert.equal(read.props["enabled"], true);
    assert.equal(read.inputs["enabled"], true);
  });

  it("warns before a disable that applications should use the peering-private strings", async () => {
    await provider.check(disable);
    while (!provider.output().includes("warning")) await sleep(10);
    assert.match(provider.output(), /warning: disabling private IP mode .* strings of orders/);
  });
});
