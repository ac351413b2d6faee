/** Stacks that move between pulumi-clouddb and the plugin, with the states of every release. */
import assert from "node:assert/strict";
import * as clouddb from "pulumi-clouddb";
import { projectId } from "../support/service";
import * as plugin from "./attachedPlugin";
import { useStack } from "./useStack";

describe("a stack that moves between pulumi-clouddb and the plugin", () => {
  const { service, createInline } = useStack();

  it("shows no change of a lookup in either direction, also after a refresh", async () => {
    const network = { kind: "privateEndpoint", region: "us-east-1" } as const;
    const lookups =
      (Lookup: typeof clouddb.ClusterConnectionStrings | typeof plugin.ClusterConnectionStrings) =>
      () => {
        new Lookup("plain", { projectId, clusterName: "orders" });
        new Lookup("endpoint", { projectId, clusterName: "analytics", network, optimized: false });
        return Promise.resolve({});
      };
    const same = { same: 3 };
    const { stack, program } = await createInline(lookups(clouddb.ClusterConnectionStrings));
    await stack.up();
    for (const next of [plugin.ClusterConnectionStrings, clouddb.ClusterConnectionStrings]) {
      program(lookups(next));
      assert.deepEqual((await stack.up()).summary.resourceChanges, same);
      assert.deepEqual((await stack.refresh()).summary.resourceChanges, same);
    }
  });

  for (const kind of ["pulumi-clouddb", "the plugin"] as const) {
    it(`shows no change of a mode that ${kind} recorded`, async () => {
      const classes = {
        "pulumi-clouddb": clouddb.PrivateIpMode,
        "the plugin": plugin.PrivateIpMode,
      };
      const mode = (Mode: new (name: string, args: never) => unknown) => () => {
        Reflect.construct(Mode, ["mode", { projectId, enabled: false }]);
        return Promise.resolve({});
      };
      const { stack, program } = await createInline(mode(classes[kind]));
      await stack.up();
      const same = { same: 2 };
      assert.deepEqual((await stack.preview()).changeSummary, same);
      assert.deepEqual((await stack.refresh()).summary.resourceChanges, same);
      assert.deepEqual((await stack.up()).summary.resourceChanges, same);
      assert.deepEqual((await stack.refresh()).summary.resourceChanges, same);
      program(mode(classes[kind === "the plugin" ? "pulumi-clouddb" : "the plugin"]));
      assert.deepEqual((await stack.up()).summary.resourceChanges, same);
      assert.deepEqual((await stack.refresh()).summary.resourceChanges, same);
      assert.equal(service.patches().length, 1);
    });
  }
});
