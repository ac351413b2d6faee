/** Resource options and drift of the plugin on the real engine. */
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

  it("shows the value that an update sets again, and the current one after a refresh", async () => {
    const { stack } = await createInline(resources(recorded));
    await stack.up();
    service.project().setPrivateIpMode(true);
    const { stdout, stderr } = await stack.preview({ diff: true });
    assert.match(stdout, /^ +\+ enabled: false$/m);
    assert.match(stdout + stderr, /is on, which differs from what is recorded/);
    const refreshed = await stack.preview({ diff: true, refresh: true });
    assert.match(refreshed.stdout, /^ +~ enabled *: true => false$/m);
    assert.doesNotMatch(stdout + refreshed.stdout, /changedOutside|(true|false) => \1/);
  });
});
