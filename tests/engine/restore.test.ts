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
    { isExplicit = false, fails = false, enabled = false } = {},
  ): PulumiFn =>
  () => {
    const provider = isExplicit ? new clouddb.Provider("same", key) : undefined;
    const held = new Mode(
      name,
      { ...restoring, enabled },
      provider === undefined ? {} : { provider },
    );
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

    it(`is lost if the user requests a replacement ${kind}, with a warning`, async () => {
      const { stack } = await createInline(mode(Mode, "mode"));
      await stack.up();
      const { resources } = (await stack.exportStack()).deployment as {
        readonly resources: readonly { readonly urn: string }[];
      };
      const replace = resources.map(({ urn }) => urn).filter((urn) => urn.endsWith("::mode"));
      const { stdout } = await stack.up({ replace });
      assert.match(stdout, /will not turn the mode on again\. To correct this, set enabledAt/);
      await stack.destroy();
      assert.equal(service.project().privateIpMode.enabled, false);
    });

    it(`is not restored ${kind} after others changed the mode, whether a refresh saw it or not`, async () => {
      const { stack } = await createInline(mode(Mode, "mode", { enabled: true }));
      await stack.up();
      service.project().setPrivateIpMode(false);
      await stack.refresh();
      const { stdout } = await stack.destroy({ refresh: true });
      assert.match(stdout, /is kept as it is: it was changed outside of this stack/);
      assert.equal(service.project().privateIpMode.enabled, false);
    });
  }
});

describe("two resources that a transform gives the same project", () => {
  const { createInline } = useStack();

  it("are rejected", async () => {
    const { stack, failure } = await createInline(() => {
      pulumi.runtime.registerStackTransformation(({ props, opts }) => ({
        props: "projectId" in props ? { ...props, projectId } : props,
        opts,
      }));
      new clouddb.PrivateIpMode("one", { projectId: "a", enabled: true });
      new clouddb.PrivateIpMode("two", { projectId: "b", enabled: false });
      return Promise.resolve({});
    });
    assert.match(await failure(stack.preview()), /"(?:one|two)" already manages private IP mode/);
  });
});

describe("a PrivateIpMode that is renamed without an alias", () => {
  const { service, createInline } = useStack();

  for (const [where, Mode, isExplicit] of [
    ["with the same provider", plugin.PrivateIpMode, false],
    ["when it also moves to an explicit provider", clouddb.PrivateIpMode, true],
  ] as const) {
    it(`keeps the mode ${where}, even if an update fails before the old resource is deleted`, async () => {
      const { stack, program, failure } = await createInline(mode(Mode, "old"));
      await stack.up();
      program(mode(Mode, "new", { isExplicit, fails: true }));
      await failure(stack.up());
      program(mode(Mode, "new", { isExplicit }));
      const { stdout } = await stack.up();
      assert.match(stdout, /is kept as it is: another resource of this stack manages it now/);
      assert.equal(service.project().privateIpMode.enabled, false);
      assert.equal((await stack.preview()).changeSummary.update, undefined);
    });
  }

  it("keeps the mode without a warning if it has an alias", async () => {
    const { stack, program } = await createInline(mode(plugin.PrivateIpMode, "old"));
    await stack.up();
    program(() => {
      new plugin.PrivateIpMode("renamed", restoring, { aliases: [{ name: "old" }] });
      return Promise.resolve({});
    });
    const { summary } = await stack.up();
    assert.deepEqual(Object.keys(summary.resourceChanges ?? {}), ["same"]);
  });

  it("restores the original mode if both the old and the new resource are destroyed", async () => {
    const { stack, program, failure } = await createInline(mode(plugin.PrivateIpMode, "old"));
    await stack.up();
    program(mode(plugin.PrivateIpMode, "new", { fails: true }));
    await failure(stack.up());
    const { stdout } = await stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, true);
    assert.match(stdout, /was turned back on, its value when this resource was created/);
  });
});

describe("a PrivateIpMode that moves to an explicit provider", () => {
  const { service, createInline } = useStack();

  it("keeps the mode, and restores the mode at adoption when it is destroyed", async () => {
    const { stack, program } = await createInline(mode(clouddb.PrivateIpMode, "mode"));
    await stack.up();
    program(mode(clouddb.PrivateIpMode, "mode", { isExplicit: true }));
    await stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
    await stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, true, "the mode at adoption is restored");
  });
});
