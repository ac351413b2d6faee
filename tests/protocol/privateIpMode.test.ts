import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Simulator } from "clouddb-simulator";
import { projectId, settingsFor, startService } from "../service";
import { type ProviderProcess, startProvider, unknown } from "./providerProcess";

describe("PrivateIpMode, in the provider process", () => {
  let service: Simulator;
  let provider: ProviderProcess;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  beforeEach(async () => {
    service.reset();
    provider = await startProvider("privateIpMode", {}, settingsFor(service));
  });
  afterEach(() => provider.stop());

  const project = () => service.project(projectId);
  const patches = () => service.requests.filter(({ method }) => method === "PATCH");
  const disable = { projectId, enabled: false };

  it("turns the mode off and records its previous value", async () => {
    const { inputs } = await provider.check(disable);
    const { id, outs } = await provider.create(inputs);
    assert.equal(id, projectId);
    assert.deepEqual(outs, { ...disable, enabledAtAdoption: true });
    assert.equal(project().privateIpMode.enabled, false);
  });

  it("changes nothing if the mode already has the requested value", async () => {
    project().setPrivateIpMode(false);
    project().updateCluster("orders", { version: "6.0.5" });
    const { inputs, failures } = await provider.check(disable);
    assert.deepEqual(failures, []);
    assert.deepEqual((await provider.create(inputs)).outs, {
      ...disable,
      enabledAtAdoption: false,
    });
    assert.equal(patches().length, 0);
  });

  it("refuses in check and names every cluster below 7.0.0 with its version", async () => {
    project().updateCluster("orders", { version: "6.0.5" });
    project().updateCluster("billing", { version: "5.0.1" });
    const { failures } = await provider.check(disable);
    assert.equal(failures.length, 1);
    assert.equal(failures[0]?.property, "enabled");
    assert.match(failures[0].reason, /2 of its 4 clusters/);
    assert.match(failures[0].reason, /billing +5\.0\.1\n +orders +6\.0\.5\n/);
  });

  it("refuses in create based on newly read clusters, regardless of check", async () => {
    const { inputs } = await provider.check(disable);
    project().addCluster({ name: "late", version: "6.0.5" });
    await assert.rejects(provider.create(inputs), /late +6\.0\.5/);
    assert.equal(patches().length, 0);
    assert.equal(project().privateIpMode.enabled, true);
  });

  it("enables without a guard", async () => {
    project().setPrivateIpMode(false);
    project().updateCluster("orders", { version: "6.0.5" });
    const { inputs, failures } = await provider.check({ projectId, enabled: true });
    assert.deepEqual(failures, []);
    await provider.create(inputs);
    assert.equal(project().privateIpMode.enabled, true);
  });

  it("reports a refusal by the service", async () => {
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
      /the service itself refuses to disable .*CANNOT_UPDATE_PRIVATE_IP_MODE.*A backup is running/,
    );
  });

  it("uses the recorded state if the service does not expose the setting", async () => {
    const noGet = { method: "GET", path: /privateIpMode$/, times: Infinity, status: 405 };
    service.faults.push({ ...noGet, withCredentials: true });
    project().updateCluster("orders", { version: "6.0.5" });
    assert.equal((await provider.check(disable)).failures.length, 1, "not recorded: guarded");
    assert.deepEqual((await provider.check(disable, disable)).failures, [], "recorded as off");
  });

  for (const status of [404, 405]) {
    describe(`where the service answers ${status} to a GET of the setting`, () => {
      beforeEach(() => {
        service.faults.push({
          method: "GET",
          path: /privateIpMode$/,
          times: Infinity,
          status,
          withCredentials: true,
        });
      });

      it("guards and changes a mode that is not recorded, and then uses the state", async () => {
        const { inputs } = await provider.check(disable);
        const { outs } = await provider.create(inputs);
        const state = { ...disable, enabledAtAdoption: null };
        assert.deepEqual(outs, state, "what it was is not known");
        assert.equal(project().privateIpMode.enabled, false);

        project().updateCluster("orders", { version: "6.0.5" });
        const again = await provider.check(disable, inputs);
        assert.deepEqual(again, { inputs: state, failures: [] });
        assert.equal((await provider.diff(projectId, outs, again.inputs)).changes, false);
        assert.deepEqual((await provider.read(projectId, outs)).props, state);
        assert.equal(patches().length, 1);
      });

      it("never records its own change as the adopted value", async () => {
        const { inputs } = await provider.check(disable);
        const { outs } = await provider.create(inputs);
        const enable = await provider.check({ projectId, enabled: true }, inputs);
        const updated = await provider.update(projectId, outs, enable.inputs);
        assert.deepEqual(updated, { projectId, enabled: true, enabledAtAdoption: null });
      });

      it("still detects a project that does not exist", async () => {
        const { failures } = await provider.check({
          ...disable,
          projectId: "64a0c0ffee00000000009999",
        });
        assert.match(failures[0]?.reason ?? "", /404.*Check the project ID/);
      });
    });
  }

  it("keeps the adopted value through a replacement on the same project, checked twice", async () => {
    const { inputs } = await provider.check(disable);
    const { outs } = await provider.create(inputs);
    await provider.check(disable, inputs);
    const replacement = await provider.check(disable);
    assert.equal(replacement.inputs["enabledAtAdoption"], outs["enabledAtAdoption"]);
    assert.equal(outs["enabledAtAdoption"], true);
  });

  it("treats an unknown argument as changed, and only replaces for an unknown project", async () => {
    const state = { ...disable, enabledAtAdoption: true };
    const diff = (news: Record<string, unknown>) => provider.diff(projectId, state, news);
    const inPlace = { changes: true, replaces: [] };
    assert.deepEqual(await diff({ projectId, enabled: unknown }), inPlace);
    assert.deepEqual(await diff({ ...disable, onDelete: unknown }), inPlace);
    assert.deepEqual((await diff({ ...disable, projectId: unknown })).replaces, ["projectId"]);
  });

  it("updates in place, and is replaced for another project", async () => {
    const { inputs } = await provider.check(disable);
    const { outs } = await provider.create(inputs);
    const enable = (await provider.check({ projectId, enabled: true }, inputs)).inputs;
    assert.deepEqual(await provider.diff(projectId, outs, enable), { changes: true, replaces: [] });
    const updated = await provider.update(projectId, outs, enable);
    assert.deepEqual(updated, { projectId, enabled: true, enabledAtAdoption: true });
    assert.equal(project().privateIpMode.enabled, true);
    assert.deepEqual(await provider.diff(projectId, outs, { ...disable, projectId: "other" }), {
      changes: true,
      replaces: ["projectId"],
    });
  });

  it("keeps the state if a 404 is not from the service, such as a gateway's page", async () => {
    service.faults.push({ withCredentials: true, status: 404, body: "<html>", times: Infinity });
    await assert.rejects(
      provider.read(projectId, disable),
      /cannot be shown that it is gone: the 404 is not an answer of the API\. .*baseUrl and apiPath/,
    );
  });

  it("applies the guard every time that the change is sent, also after a 429", async () => {
    const { inputs } = await provider.check(disable);
    service.faults.push({ method: "PATCH", status: 429, headers: { "retry-after": "1" } });
    const creating = provider.create(inputs);
    while (patches().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    project().addCluster({ name: "late", version: "6.0.5" });
    await assert.rejects(creating, /late +6\.0\.5/);
    assert.equal(patches().length, 1);
    assert.equal(project().privateIpMode.enabled, true);
  });

  it("shows drift on refresh, and is removed from the state if the project is gone", async () => {
    const { inputs } = await provider.check(disable);
    const { outs } = await provider.create(inputs);
    project().setPrivateIpMode(true);
    const read = await provider.read(projectId, outs);
    assert.equal(read.props["enabled"], true);
    assert.equal(read.inputs["enabled"], true);
    assert.equal((await provider.read("64a0c0ffee00000000009999", outs)).id, "");
  });

  describe("deleted", () => {
    /** In a process of its own, as it is in a later update. */
    const deleteIn = async (props: Record<string, unknown>) => {
      const another = await startProvider("privateIpMode", {}, settingsFor(service));
      await another.delete(projectId, props);
      await another.stop();
      return another.output();
    };

    it("keeps the setting, or restores its value at adoption", async () => {
      const { outs } = await provider.create((await provider.check(disable)).inputs);
      await deleteIn(outs);
      assert.equal(project().privateIpMode.enabled, false);
      await deleteIn({ ...outs, onDelete: "restore" });
      assert.equal(project().privateIpMode.enabled, true);
    });

    it("restores its value at adoption also after updates and a refresh", async () => {
      const restoring = { ...disable, onDelete: "restore" };
      const first = await provider.check(restoring);
      const { outs } = await provider.create(first.inputs);
      const enable = await provider.check({ ...restoring, enabled: true }, first.inputs);
      const enabled = await provider.update(projectId, outs, enable.inputs);
      const again = await provider.check(restoring, enable.inputs);
      const disabled = await provider.update(projectId, enabled, again.inputs);
      const { props } = await provider.read(projectId, disabled);
      assert.equal(props["enabledAtAdoption"], true);
      await deleteIn(props);
      assert.equal(project().privateIpMode.enabled, true);
    });

    it("does not restore against the guard, and says how to delete anyway", async () => {
      const state = { ...disable, enabled: true, enabledAtAdoption: false, onDelete: "restore" };
      project().updateCluster("orders", { version: "6.0.5" });
      await assert.rejects(provider.delete(projectId, state), /orders +6\.0\.5\n.*set onDelete to/);
      assert.equal(project().privateIpMode.enabled, true);
    });

    it("keeps the setting if another resource of the stack holds it now", async () => {
      const restoring = { ...disable, onDelete: "restore" };
      const { outs } = await provider.create((await provider.check(restoring)).inputs);
      await provider.delete(projectId, outs);
      assert.equal(project().privateIpMode.enabled, false);
      assert.match(provider.output(), /is kept as it is: another resource of this stack holds it/);
    });

    it("keeps the setting, with a warning, if its original value is not known", async () => {
      const output = await deleteIn({ ...disable, onDelete: "restore" });
      assert.match(
        output,
        /warning: .*is kept as it is: its value before this resource held it is not known/,
      );
    });

    it("restores nothing if the project is gone", async () => {
      const gone = "64a0c0ffee00000000009999";
      await provider.delete(gone, {
        ...disable,
        projectId: gone,
        enabledAtAdoption: true,
        onDelete: "restore",
      });
    });
  }).timeout(60_000);

  it("warns which peered clusters' applications should already use their private strings", async () => {
    await provider.check(disable);
    while (!provider.output().includes("warning")) await sleep(10);
    assert.match(provider.output(), /warning: disabling private IP mode .* strings of orders/);
  });

  it("makes no request if an input is unknown in a preview", async () => {
    const { inputs } = await provider.check({ projectId, enabled: unknown });
    assert.deepEqual(inputs, { projectId, enabled: unknown });
    assert.equal(service.requests.length, 0);
  });

  it("refuses a second resource for a project, and never records alsoHeldBy", async () => {
    const { failures } = await provider.check({ ...disable, alsoHeldBy: "first" });
    assert.equal(failures[0]?.property, "projectId");
    assert.match(failures[0].reason, /"first" already holds private IP mode of this project/);
    const { inputs } = await provider.check({ projectId, enabled: unknown, alsoHeldBy: unknown });
    assert.deepEqual(inputs, { projectId, enabled: unknown });
  });

  it("names an invalid or misspelled argument", async () => {
    const { failures } = await provider.check({ projectId, enable: false });
    assert.ok(failures.some(({ property }) => property === "enabled"));
    assert.ok(failures.some(({ reason }) => reason.includes("enable")));
  });
});
