/** `onDelete: "restore"` where another resource or another stack may still need the mode. */
import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import * as clouddb from "pulumi-clouddb";
import { key, projectId } from "../service";
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

describe("private IP mode managed by two stacks of one Pulumi project", () => {
  const { service, createInline } = useStack();

  it("is kept when one of them is destroyed while the other still manages it", async () => {
    const [dev, prod] = [
      await createInline(mode(clouddb.PrivateIpMode, "mode"), { stackName: "dev" }),
      await createInline(mode(clouddb.PrivateIpMode, "mode"), { stackName: "prod" }),
    ];
    await dev.stack.up();
    await prod.stack.up();
    const { stdout } = await dev.stack.destroy();
    assert.match(stdout, /is kept as it is: the stack tested\/prod managed it/);
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.deepEqual((await prod.stack.preview()).changeSummary, { same: 2 });
  });

  it("is kept if an earlier version recorded no stack, and the state shows no change", async () => {
    const { stack } = await createInline(mode(clouddb.PrivateIpMode, "mode"));
    await stack.up();
    const recorded = JSON.stringify(await stack.exportStack());
    const withoutStack = recorded.replaceAll(',"managingStack":"tested/test"', "");
    assert.notEqual(withoutStack, recorded);
    await stack.importStack(
      JSON.parse(withoutStack) as Awaited<ReturnType<typeof stack.exportStack>>,
    );
    assert.deepEqual((await stack.up()).summary.resourceChanges, { same: 2 });
    assert.deepEqual((await stack.refresh()).summary.resourceChanges, { same: 2 });
    const { stdout } = await stack.destroy();
    assert.match(stdout, /stack tested\/\w+ managed it .* does not say whether/);
    assert.equal(service.project().privateIpMode.enabled, false);
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
