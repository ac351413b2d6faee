/** Resource options, drift and imports of the plugin on the real engine. */
import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { projectId } from "../../support/service";
import { ClusterConnectionStrings, PrivateIpMode } from "../attachedPlugin";
import { useStack } from "../useStack";

describe("a stack that uses the plugin", () => {
  const { service, createInline } = useStack();
  const resources =
    (args: { enabled: boolean; form: string }, options: pulumi.CustomResourceOptions = {}) =>
    () => {
      const { enabled, form } = args;
      new PrivateIpMode("mode", { projectId, enabled }, options);
      new ClusterConnectionStrings("orders", { projectId, clusterName: "orders", form }, options);
      return Promise.resolve({});
    };
  const [recorded, changed] = [
    { enabled: false, form: "srv" },
    { enabled: true, form: "hosts" },
  ];

  it("honors ignoreChanges, replaceOnChanges and deleteBeforeReplace", async () => {
    const { stack, program } = await createInline(resources(recorded));
    await stack.up();
    for (const ignoreChanges of [["enabled", "form"], ["*"]]) {
      program(resources(changed, { ignoreChanges }));
      assert.deepEqual((await stack.preview()).changeSummary, { same: 3 }, ignoreChanges.join());
    }
    program(resources(recorded, { ignoreChanges: ["recommended"] }));
    assert.deepEqual((await stack.preview()).changeSummary, { same: 3 });

    const replaceOnChanges = ["enabled", "form"];
    program(resources(changed, { replaceOnChanges, deleteBeforeReplace: true }));
    const { stdout, summary } = await stack.up();
    assert.deepEqual(summary.resourceChanges, { replace: 2, same: 1 });
    assert.ok(stdout.search(/PrivateIpMode mode deleted/) < stdout.search(/mode created/), stdout);
    assert.ok(service.project().privateIpMode.enabled);
  });

  it("shows the value that an update sets again, and the current one after a refresh, unless the guard refuses", async () => {
    const { stack, failure } = await createInline(resources(recorded));
    await stack.up();
    service.project().setPrivateIpMode(true);
    const { stdout, stderr } = await stack.preview({ diff: true });
    assert.match(stdout, /^ +\+ enabled: false$/m);
    assert.match(stdout + stderr, /is on, which differs from what is recorded/);
    const refreshed = await stack.preview({ diff: true, refresh: true });
    assert.match(refreshed.stdout, /^ +~ enabled *: true => false$/m);
    assert.doesNotMatch(stdout + refreshed.stdout, /changesFrom|(true|false) => \1/);

    service.project().updateCluster("billing", { version: "6.0.5" });
    const refused = await failure(stack.up());
    assert.match(refused, /clouddb:index:PrivateIpMode \(mode\)[^]*\n +billing +6\.0\.5\n/);
    assert.doesNotMatch(refused, /\n\s+at /);
    assert.equal(service.patches().length, 1);

    service.project().updateCluster("billing", { version: "7.0.12" });
    assert.equal((await stack.up()).summary.resourceChanges?.update, 1);
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.deepEqual((await stack.preview()).changeSummary, { same: 3 });
    assert.doesNotMatch(JSON.stringify(await stack.exportStack()), /changesFrom/);
  });

  it("imports the mode without a change", async () => {
    const declared = () => {
      new PrivateIpMode("mode", { projectId, enabled: true });
      return Promise.resolve({});
    };
    const { stack } = await createInline(declared);
    const imported = [{ type: "clouddb:index:PrivateIpMode", name: "mode", id: projectId }];
    await stack.import({ resources: imported, protect: false, generateCode: false });
    assert.deepEqual((await stack.up()).summary.resourceChanges, { same: 2 });
    assert.equal(service.patches().length, 0);
  });
});
