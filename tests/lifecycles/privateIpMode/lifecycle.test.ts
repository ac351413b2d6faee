import assert from "node:assert/strict";
import { projectId } from "../../support/service";
import { useProvider } from "../useProvider";

describe("PrivateIpMode", () => {
  const { service, provider } = useProvider("privateIpMode");
  const disable = { projectId, enabled: false };
  const enable = { projectId, enabled: true };
  const get = { method: "GET", path: /privateIpMode$/, withCredentials: true };

  it("changes nothing if the mode already has the requested value", async () => {
    service.project().setPrivateIpMode(false);
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { inputs, failures } = await provider.check(disable);
    assert.deepEqual(failures, []);
    assert.deepEqual((await provider.create(inputs)).outs, {
      ...disable,
      enabledAtAdoption: false,
      __setByStack: false,
    });
    assert.equal(service.patches().length, 0);
  });

  it("enables the mode even if a cluster runs 6.0", async () => {
    service.project().setPrivateIpMode(false);
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { inputs, failures } = await provider.check({ ...enable, onDelete: "retain" });
    assert.deepEqual(failures, []);
    await provider.create(inputs);
    assert.equal(service.project().privateIpMode.enabled, true);
  });

  for (const [detail, reason] of [
    ["A backup is running.", "A backup is running"],
    [undefined, "no reason given"],
  ]) {
    it(`names the reason of a refusal: ${reason}`, async () => {
      const { inputs } = await provider.check(disable);
      const body = { errorCode: "CANNOT_UPDATE_PRIVATE_IP_MODE", detail };
      service.faults.push({ method: "PATCH", withCredentials: true, status: 409, body });
      const refusal = `the service refused to disable .*CANNOT_UPDATE_PRIVATE_IP_MODE.* again\\. Reason: ${reason}`;
      await assert.rejects(provider.create(inputs), (error: Error) => {
        assert.match(error.message, new RegExp(refusal));
        assert.deepEqual(Object.keys(error), [], "records nothing");
        return true;
      });
    });
  }

  it("records the mode that check found, even if it changes before the creation", async () => {
    const { inputs } = await provider.check(disable);
    service.project().setPrivateIpMode(false);
    assert.equal((await provider.create(inputs)).outs["enabledAtAdoption"], true);
  });

  it("does not record a mode at adoption that check could not read", async () => {
    service.faults.push({ ...get, status: 405 });
    const { inputs } = await provider.check(disable);
    assert.equal(inputs["enabledAtAdoption"], null);
    assert.equal((await provider.create(inputs)).outs["enabledAtAdoption"], null);
  });

  it("keeps the adopted value when a replacement for the same project is checked", async () => {
    const { inputs } = await provider.check(disable);
    const { outs } = await provider.create(inputs);
    await provider.check(disable, inputs);
    const replacement = await provider.check(disable);
    assert.equal(replacement.inputs["enabledAtAdoption"], outs["enabledAtAdoption"]);
    assert.equal(outs["enabledAtAdoption"], true);
  });

  it("shows no drift if the program changes the mode, too", async () => {
    const state = { projectId, enabled: true, enabledAtAdoption: true };
    service.project().setPrivateIpMode(false);
    const { inputs } = await provider.check(disable, state);
    assert.deepEqual(inputs, { ...disable, enabledAtAdoption: true });
    assert.equal((await provider.diff(projectId, state, inputs)).changes, true);
    assert.doesNotMatch(provider.output(), /warning/);
  });

  it("shows drift before a refusal, because the program did not cause it", async () => {
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { failures } = await provider.check(disable, { ...disable, enabledAtAdoption: true });
    assert.match(failures[0]?.reason ?? "", /cannot be disabled/);
    assert.match(provider.output(), /warning: .* was turned on outside of this stack/);
  });

  it("keeps the adopted value of an import in the first update after it", async () => {
    const { props, inputs } = await provider.read(projectId, {});
    const { inputs: news } = await provider.check(disable, inputs);
    const updated = await provider.update(projectId, props, news);
    assert.equal(updated["enabledAtAdoption"], true);
  });

  it("says that the outcome is unknown if neither the change nor the setting can be confirmed, and records the rest", async () => {
    const { inputs } = await provider.check(disable);
    const unreadable = { ...get, status: 403 };
    const doubt = /the change was sent, but it is not known whether it was applied\. .*503.*PATCH /;
    const properties = { projectId, enabledAtAdoption: true, __setByStack: false };
    for (const loader of [{}, { __provider: "text" }]) {
      service.faults.push({ method: "PATCH", withCredentials: true, status: 503 }, get, unreadable);
      await assert.rejects(provider.create({ ...inputs, ...loader }), (error: Error) => {
        assert.match(error.message, doubt);
        const recorded = { id: projectId, properties: { ...properties, ...loader } };
        assert.deepEqual(Object.entries(error), Object.entries(recorded));
        return true;
      });
    }
    assert.equal(service.patches().length, 2);
  });

  it("reads a state without the mode if the service does not expose it", async () => {
    service.faults.push({ ...get, status: 405, times: Infinity });
    const state = { projectId, enabledAtAdoption: null };
    assert.deepEqual((await provider.read(projectId, state)).props, state);
  });

  it("fails in check for an invalid argument, before any request", async () => {
    const news = { projectId, enabled: "no" };
    const { inputs, failures } = await provider.check(news);
    assert.deepEqual([inputs, failures.length], [news, 1]);
    assert.equal(failures[0]?.property, "enabled");
    assert.equal(service.requests.length, 0);
  });

  it("refuses to read, update or delete a resource whose ID and state name different projects", async () => {
    const state = { projectId: "another", enabled: false, enabledAtAdoption: true };
    const restoring = { ...state, onDelete: "restore" };
    const refusal =
      /this PrivateIpMode resource is damaged \(id: is \w+, but projectId is another\)/;
    await assert.rejects(provider.read(projectId, state), refusal);
    await assert.rejects(provider.update(projectId, state, enable), refusal);
    await assert.rejects(provider.delete(projectId, restoring), refusal);
    assert.equal(service.requests.length, 0);
  });

  it("warns before it enables the mode, but not if it is already on", async () => {
    await provider.check(enable);
    assert.doesNotMatch(provider.output(), /enabling/);
    service.project().setPrivateIpMode(false);
    await provider.check(enable);
    assert.match(
      provider.output(),
      /warning: enabling private IP mode of project \w+ changes what the host names of its clusters resolve to/,
    );
  });
});
