import assert from "node:assert/strict";
import { useCleanup } from "../../cleanup";
import { startEngineServer } from "../../engineServer";
import { projectId } from "../../service";
import { useProvider } from "../useProvider";

describe("PrivateIpMode", () => {
  const { service, provider, start } = useProvider("privateIpMode");
  const cleanup = useCleanup("test");
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

  it("names 400 blocking clusters in the refusals of a preview and of an update", async () => {
    const { inputs } = await provider.check(disable);
    for (let index = 0; index < 400; index += 1) {
      service.project().addCluster({ name: `old-${index}`, version: "6.0.5" });
    }
    const { failures } = await (await start()).check(disable);
    const namesEach = (message: string) => message.match(/^ +old-\d+ +6\.0\.5$/gm)?.length === 400;
    assert.ok(namesEach(failures[0]?.reason ?? ""));
    await assert.rejects(provider.create(inputs), ({ message }: Error) => namesEach(message));
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

  it("says so when the service refuses a change without a reason", async () => {
    service.project().setPrivateIpMode(false);
    const { inputs } = await provider.check({ projectId, enabled: true });
    service.faults.push({
      method: "PATCH",
      withCredentials: true,
      status: 409,
      body: { errorCode: "CANNOT_UPDATE_PRIVATE_IP_MODE" },
    });
    await assert.rejects(
      provider.create(inputs),
      /the service refused to enable .* \(CANNOT_UPDATE_PRIVATE_IP_MODE\)\. .* Reason: no reason given/,
    );
  });

  it("records the mode that check found, even if it changes before the creation", async () => {
    const { inputs } = await provider.check(disable);
    service.project().setPrivateIpMode(false);
    assert.equal((await provider.create(inputs)).outs["enabledAtAdoption"], true);
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

  it("warns about a change outside of the stack, and shows an update until it is undone", async () => {
    for (const [enabled, turned, undone] of [
      [false, "on", "off"],
      [true, "off", "on"],
    ] as const) {
      service.project().setPrivateIpMode(!enabled);
      const state = { projectId, enabled, enabledAtAdoption: true };
      const { inputs } = await provider.check({ projectId, enabled }, state);
      const warning = `was turned ${turned} outside of this stack; the update turns it ${undone} again`;
      // The plugin shows the change in its diff instead (tests/lifecycles/plugin).
      if (process.env["TESTED_PROVIDER"] === "plugin") assert.ok(!("changedOutside" in inputs));
      else assert.ok(String(inputs["changedOutside"]).endsWith(warning));
      assert.match(provider.output(), new RegExp(`^warning: .*${warning}$`, "m"));
      assert.deepEqual(await provider.diff(projectId, state, inputs), {
        changes: true,
        replaces: [],
      });
      assert.deepEqual(await provider.update(projectId, state, inputs), state);
      assert.deepEqual((await provider.check({ projectId, enabled }, state)).inputs, state);
    }
  });

  it("shows no drift if the program changes the mode too", async () => {
    const state = { projectId, enabled: true, enabledAtAdoption: true };
    service.project().setPrivateIpMode(false);
    const { inputs } = await provider.check(disable, state);
    assert.deepEqual(inputs, { ...disable, enabledAtAdoption: true });
    assert.equal((await provider.diff(projectId, state, inputs)).changes, true);
  });

  it("changes nothing if the engine that checked the resource is gone", async () => {
    const stops: (() => unknown)[] = [];
    const { address } = await startEngineServer((stop) => {
      stops.push(stop);
      cleanup(stop);
    });
    const { check, create } = await start({ engine: address });
    const { inputs } = await check(disable);
    for (const stop of stops) await stop();
    await assert.rejects(create(inputs), /engine that requested this change is gone/);
    assert.equal(service.patches().length, 0);
  });

  it("says that the outcome is unknown if neither the change nor the setting can be confirmed", async () => {
    const { inputs } = await provider.check(disable);
    const get = { method: "GET", path: /privateIpMode$/, withCredentials: true };
    service.faults.push({ method: "PATCH", withCredentials: true, status: 503 }, get, {
      ...get,
      status: 403,
    });
    await assert.rejects(
      provider.create(inputs),
      /the change was sent, but it is not known whether it was applied\. .*503.*PATCH /,
    );
    assert.equal(service.patches().length, 1);
  });

  it("warns before it enables the mode, but not if it is already on", async () => {
    const enable = { projectId, enabled: true };
    await provider.check(enable);
    assert.doesNotMatch(provider.output(), /enabling/);
    service.project().setPrivateIpMode(false);
    await provider.check(enable);
    assert.match(
      provider.output(),
      /warning: enabling private IP mode of project \w+ changes what the host names of its clusters resolve to/,
    );
  });

  it("adopts the mode when it is read by its ID", async () => {
    const { id, props, inputs } = await provider.read(projectId, {});
    assert.equal(id, projectId);
    assert.deepEqual(props, { projectId, enabled: true, enabledAtAdoption: true });
    // A plugin returns only arguments, for `pulumi import`.
    assert.equal(inputs["projectId"], projectId);
    assert.equal(inputs["enabled"], true);
  });

  it("shows an update when onDelete changes", async () => {
    const state = { ...disable, enabledAtAdoption: true };
    const diff = (news: object) => provider.diff(projectId, state, { ...state, ...news });
    assert.equal((await diff({ onDelete: "restore" })).changes, true);
    assert.equal((await diff({ onDelete: "retain" })).changes, false, "the default");
  });
});
