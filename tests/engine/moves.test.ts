/** Stacks that move between pulumi-clouddb and the plugin, with the states of every release. */
import assert from "node:assert/strict";
import * as clouddb from "pulumi-clouddb";
import { providerText } from "../../provider/src/providerText";
import { recordedLookups, recordedSeed } from "../support/recordedStates";
import { projectId } from "../support/service";
import * as plugin from "./attachedPlugin";
import { useStack } from "./useStack";

/** The part of an exported stack that these tests change. */
interface Exported {
  readonly deployment: {
    readonly resources: {
      readonly urn: string;
      inputs: Record<string, unknown>;
      outputs: Record<string, unknown>;
    }[];
  };
}

describe("a stack that moves between pulumi-clouddb and the plugin", () => {
  const { service, createInline } = useStack({ seed: recordedSeed });

  for (const [version, recorded] of recordedLookups) {
    it(`shows no change in either direction with the states of ${version}`, async () => {
      const lookups =
        (
          Lookup: typeof clouddb.ClusterConnectionStrings | typeof plugin.ClusterConnectionStrings,
        ) =>
        () => {
          for (const [at, { args }] of recorded.entries()) new Lookup(`lookup${at}`, { ...args });
          return Promise.resolve({});
        };
      const same = { same: recorded.length + 1 };
      const { stack, program } = await createInline(lookups(clouddb.ClusterConnectionStrings));
      await stack.up();
      const exported = (await stack.exportStack()) as Exported & { version: number };
      const __provider = providerText("clusterConnectionStrings");
      for (const resource of exported.deployment.resources) {
        const index = /::lookup(\d+)$/.exec(resource.urn)?.[1];
        const state = recorded[Number(index)]?.state;
        if (state === undefined) continue;
        resource.inputs = { ...state, __provider };
        resource.outputs = { ...state, __provider };
      }
      await stack.importStack(exported);

      for (const next of [plugin.ClusterConnectionStrings, clouddb.ClusterConnectionStrings]) {
        program(lookups(next));
        assert.deepEqual((await stack.up()).summary.resourceChanges, same);
      }
    });
  }

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
