/** `onDelete: "restore"` where another resource or another stack may still need the mode. */
import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import * as clouddb from "pulumi-clouddb";
import { key, projectId } from "../support/service";
import * as plugin from "./attachedPlugin";
import { useStack } from "./useStack";

const restoring = { projectId, enabled: false, onDelete: "restore" } as const;

/** A resource that cannot be created. */
class Failing extends pulumi.dynamic.Resource {
  constructor(name: string, options: pulumi.CustomResourceOptions) {
    super({ create: () => Promise.reject(new Error("another resource fails")) }, name, {}, options);
  }
}

/** Returns a program with one resource of pulumi-clouddb or the plugin. */
const mode =
  (
    Mode: typeof clouddb.PrivateIpMode | typeof plugin.PrivateIpMode,
    name: string,
    { isExplicit = false, fails = false } = {},
  ): PulumiFn =>
  () => {
    const provider = isExplicit ? new clouddb.Provider("same", key) : undefined;
    const held = new Mode(name, restoring, provider === undefined ? {} : { provider });
    if (fails) new Failing("failing", { dependsOn: held });
    return Promise.resolve({});
  };

const kinds = [
  ["of a dynamic provider", clouddb.PrivateIpMode],
  ["of the plugin", plugin.PrivateIpMode],
] as const;

describe("the mode at adoption", () => {
  const { service, createInline } = useStack();

  for (const [kind, Mode] of kinds) {
    it(`survives a creation ${kind} whose change was sent without a usable response`, async () => {
      const { stack } = await createInline(mode(Mode, "mode"));
      const { faults } = service;
      const get = { method: "GET", path: /privateIpMode$/, withCredentials: true };
      // The setting can be read by check and by create, until the change was sent.
      faults.push({ method: "PATCH", withCredentials: true, reset: "after" });
      faults.push({ ...get, delayMs: 0 }, { ...get, delayMs: 0 });
      faults.push({ ...get, status: 403 });
      await assert.rejects(stack.up(), /the change was sent, but it is not known whether/);
      assert.equal(service.project().privateIpMode.enabled, false);
      assert.equal((await stack.preview()).changeSummary.update, 1);
      await stack.up();
      assert.deepEqual((await stack.preview()).changeSummary, { same: 2 });
      await stack.destroy();
      assert.equal(service.project().privateIpMode.enabled, true);
    });

    it(`shows no change ${kind} if an earlier version recorded its stack, and is restored`, async () => {
      const { stack } = await createInline(mode(Mode, "mode"));
      await stack.up();
      const recorded = JSON.stringify(await stack.exportStack())
        .replaceAll('"enabledAtAdoption":true', '$&,"managingStack":"tested/test"')
        .replace('"__setByStack":false,', "");
      await stack.importStack(
        JSON.parse(recorded) as Awaited<ReturnType<typeof stack.exportStack>>,
      );
      for (const operation of ["preview", "refresh", "up", "refresh", "up"] as const) {
        const run = await stack[operation]();
        const changes = "summary" in run ? run.summary.resourceChanges : run.changeSummary;
        assert.deepEqual(changes, { same: 2 }, operation);
      }
      const state = JSON.stringify(await stack.exportStack());
      assert.equal(state.match(/"managingStack":"tested\/test"/g)?.length, 2);
      assert.doesNotMatch(state, /__setByStack/);
      await stack.destroy();
      assert.equal(service.project().privateIpMode.enabled, true);
    });
  }
});

describe("a renamed PrivateIpMode", () => {
  const { service, createInline } = useStack();

  for (const [where, Mode, isExplicit] of [
    ["with the same provider", plugin.PrivateIpMode, false],
    ["when it also moves to an explicit provider", clouddb.PrivateIpMode, true],
  ] as const) {
    it(`keeps the mode without an alias ${where}, even if an update fails before the old resource is deleted`, async () => {
      const { stack, program, failure } = await createInline(mode(Mode, "old"));
      await stack.up();
      program(mode(Mode, "new", { isExplicit, fails: true }));
      await failure(stack.up());
      program(mode(Mode, "new", { isExplicit }));
      const { stdout } = await stack.up();
      assert.match(
        stdout,
        /was left unchanged because another resource of this stack manages it now/,
      );
      assert.equal(service.project().privateIpMode.enabled, false);
      assert.equal((await stack.preview()).changeSummary.update, undefined);
    });
  }

  it("keeps the mode with an alias, without a warning", async () => {
    const { stack, program } = await createInline(mode(plugin.PrivateIpMode, "old"));
    await stack.up();
    program(() => {
      new plugin.PrivateIpMode("renamed", restoring, { aliases: [{ name: "old" }] });
      return Promise.resolve({});
    });
    const { summary } = await stack.up();
    assert.deepEqual(Object.keys(summary.resourceChanges ?? {}), ["same"]);
  });
});
