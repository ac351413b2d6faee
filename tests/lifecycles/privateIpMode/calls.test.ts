/** A test of each call, which also runs in both kinds of provider process. */
import assert from "node:assert/strict";
import { useCleanup } from "../../support/cleanup";
import { startEngineServer } from "../../support/engineServer";
import { projectId } from "../../support/service";
import { waitUntil } from "../../support/waitUntil";
import { useProvider } from "../useProvider";

describe("the calls of PrivateIpMode", () => {
  const { service, provider, start } = useProvider("privateIpMode");
  const cleanup = useCleanup("test");
  const disable = { projectId, enabled: false };
  /** The plugin cancels its operations within a second of the engine's end, and then ends. */
  const engineGone = /engine that requested this change has ended|cancelled|UNAVAILABLE/;

  /** Starts a provider process, and an engine that the test can end. */
  const startWithEngine = async () => {
    const stops: (() => unknown)[] = [];
    const { address } = await startEngineServer((stop) => {
      stops.push(stop);
      cleanup(stop);
    });
    const endEngine = async () => {
      for (const stop of stops) await stop();
    };
    return { ...(await start({ engine: address })), endEngine };
  };

  it("turns the mode off", async () => {
    const { inputs } = await provider.check(disable);
    const { id, outs } = await provider.create(inputs);
    assert.equal(id, projectId);
    assert.deepEqual(outs, disable);
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
    assert.deepEqual(updated, { projectId, enabled: true });
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
    for (const [enabled, current] of [
      [false, "on"],
      [true, "off"],
    ] as const) {
      service.project().setPrivateIpMode(!enabled);
      const state = { projectId, enabled };
      const { inputs } = await provider.check({ projectId, enabled }, state);
      // The plugin shows the change in its diff instead (tests/lifecycles/plugin).
      const isPlugin = process.env["TESTED_PROVIDER"] === "plugin";
      const shown = isPlugin ? undefined : `${current}, outside this stack`;
      assert.equal(inputs["changesFrom"], shown);
      const warning = `is ${current}, which differs from what is recorded\\. .* The program declares enabled: ${enabled}\\.`;
      assert.match(provider.output(), new RegExp(`^warning: private IP mode .* ${warning}`, "m"));
      assert.deepEqual(await provider.diff(projectId, state, inputs), {
        changes: true,
        replaces: [],
      });
      assert.deepEqual(await provider.update(projectId, state, inputs), state);
      assert.deepEqual((await provider.check({ projectId, enabled }, state)).inputs, state);
    }
  });

  it("changes nothing if the engine that checked the resource is gone", async () => {
    const { check, create, endEngine } = await startWithEngine();
    const { inputs } = await check(disable);
    await endEngine();
    await assert.rejects(create(inputs), engineGone);
    assert.equal(service.patches().length, 0);
  });

  it("sends nothing more if the engine ends while a change waits to be repeated", async () => {
    const { check, create, endEngine } = await startWithEngine();
    const { inputs } = await check(disable);
    service.faults.push({
      method: "PATCH",
      withCredentials: true,
      status: 503,
      headers: { "retry-after": "2" },
    });
    const refused = assert.rejects(create(inputs), engineGone);
    await waitUntil("a change", () => service.patches().length > 0);
    await endEngine();
    await refused;
    assert.equal(service.patches().length, 1);
  });

  it("has the current mode when it is read by its ID", async () => {
    const { id, props, inputs } = await provider.read(projectId, {});
    assert.equal(id, projectId);
    assert.deepEqual(props, { projectId, enabled: true });
    assert.deepEqual(inputs, { projectId, enabled: true });
  });

  it("leaves the mode unchanged when it is deleted, and needs no settings for that", async () => {
    const { outs } = await provider.create((await provider.check(disable)).inputs);
    const sent = service.requests.length;
    const withoutSettings = await start({ environment: {} });
    await withoutSettings.delete(projectId, outs);
    assert.doesNotMatch(withoutSettings.output(), /warning/);
    assert.equal(service.requests.length, sent);
    assert.equal(service.project().privateIpMode.enabled, false);
  });

  it("changes the mode back if the outcome of an update is unknown, the program is reverted and the service has no GET", async () => {
    const enable = { projectId, enabled: true };
    const withCredentials = true;
    const get = { method: "GET", path: /privateIpMode$/, withCredentials };
    service.faults.push({ ...get, status: 405, times: Infinity });
    const { inputs: olds } = await provider.check(enable);
    const recorded = (await provider.create(olds)).outs;
    const { inputs } = await provider.check(disable, olds);
    service.faults.push({ method: "PATCH", withCredentials, reset: "after" });
    const failure: unknown = await provider
      .update(projectId, recorded, inputs)
      .catch((error: unknown) => error);
    assert.ok(failure instanceof Error && "properties" in failure, "records a partial state");
    assert.match(failure.message, /may or may not have been (?:en|dis)abled/);
    const outs = failure.properties as Record<string, unknown>;
    assert.ok(!("enabled" in outs));
    assert.equal(service.project().privateIpMode.enabled, false);
    const sent = service.patches().length;

    const next = await start();
    const reverted = await next.check(enable, inputs);
    assert.deepEqual(reverted.failures, []);
    assert.equal((await next.diff(projectId, outs, reverted.inputs)).changes, true);
    await next.update(projectId, outs, reverted.inputs);
    assert.equal(service.patches().length, sent + 1);
    assert.equal(service.project().privateIpMode.enabled, true);
  });
});
