/** A test of each call, which also runs in both kinds of provider process. */
import assert from "node:assert/strict";
import { useCleanup } from "../../support/cleanup";
import { startEngineServer } from "../../support/engineServer";
import { projectId } from "../../support/service";
import { useProvider } from "../useProvider";

describe("the calls of PrivateIpMode", () => {
  const { service, provider, start } = useProvider("privateIpMode");
  const cleanup = useCleanup("test");
  const disable = { projectId, enabled: false };

  it("turns the mode off and records its previous value", async () => {
    const { inputs } = await provider.check(disable);
    const { id, outs } = await provider.create(inputs);
    assert.equal(id, projectId);
    assert.deepEqual(outs, { ...disable, enabledAtAdoption: true, __setByStack: false });
    assert.equal(service.project().privateIpMode.enabled, false);
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

  it("updates in place when enabled changes, and is replaced when the project changes", async () => {
    const { inputs } = await provider.check(disable);
    const { outs } = await provider.create(inputs);
    const enable = (await provider.check({ projectId, enabled: true }, inputs)).inputs;
    assert.deepEqual(await provider.diff(projectId, outs, enable), { changes: true, replaces: [] });
    const updated = await provider.update(projectId, outs, enable);
    assert.deepEqual(updated, {
      projectId,
      enabled: true,
      enabledAtAdoption: true,
      __setByStack: true,
    });
    assert.equal(service.project().privateIpMode.enabled, true);
    assert.deepEqual(await provider.diff(projectId, outs, { ...disable, projectId: "other" }), {
      changes: true,
      replaces: ["projectId"],
    });
  });

  it("shows the current mode on refresh after a change outside the stack", async () => {
    const { inputs } = await provider.check(disable);
    const { outs } = await provider.create(inputs);
    service.project().setPrivateIpMode(true);
    const read = await provider.read(projectId, outs);
    assert.equal(read.props["enabled"], true);
    assert.equal(read.inputs["enabled"], true);
  });

  it("warns about a change outside the stack, and shows an update until it is undone", async () => {
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
      assert.match(
        provider.output(),
        new RegExp(`^warning: .*${warning}(?: \\[clouddb-drift\\])?$`, "m"),
      );
      assert.deepEqual(await provider.diff(projectId, state, inputs), {
        changes: true,
        replaces: [],
      });
      assert.deepEqual(await provider.update(projectId, state, inputs), {
        ...state,
        __setByStack: enabled,
      });
      assert.deepEqual((await provider.check({ projectId, enabled }, state)).inputs, state);
    }
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
    // The plugin cancels its operations within a second, and then ends.
    const refusal = /engine that requested this change has ended|cancelled|UNAVAILABLE/;
    await assert.rejects(create(inputs), refusal);
    assert.equal(service.patches().length, 0);
  });

  it("adopts the mode when it is read by its ID", async () => {
    const { id, props, inputs } = await provider.read(projectId, {});
    assert.equal(id, projectId);
    assert.deepEqual(props, {
      projectId,
      enabled: true,
      enabledAtAdoption: true,
      __setByStack: true,
    });
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
