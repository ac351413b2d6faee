/** Stacks that move between pulumi-clouddb and the plugin, with the states of every release. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as clouddb from "pulumi-clouddb";
import type { Seed } from "clouddb-simulator";
import { providerText } from "../../provider/src/providerText";
import { projectId } from "../support/service";
import * as plugin from "./attachedPlugin";
import { useStack } from "./useStack";

/** A resource that a released version recorded. */
interface Recorded {
  readonly what: string;
  readonly args: clouddb.ClusterConnectionStringsArgs;
  readonly state: Record<string, unknown>;
}

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

const folder = join(__dirname, "..", "lifecycles", "states");
const prefix = "clusterConnectionStrings-";
const seed = JSON.parse(readFileSync(join(folder, "seed.json"), "utf8")) as Seed;
// The states are from a simulator whose clusters had three host names each.
for (const cluster of seed.projects?.[0]?.clusters ?? []) cluster.nodes = 3;
const files = readdirSync(folder).filter((file) => file.startsWith(prefix));

describe("a stack that moves between pulumi-clouddb and the plugin", () => {
  const { service, createInline } = useStack({ seed });

  for (const file of files) {
    it(`shows no change with the states in ${file}, and back`, async () => {
      const recorded = JSON.parse(readFileSync(join(folder, file), "utf8")) as Recorded[];
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

  it("keeps the mode, also when it is refreshed and destroyed", async () => {
    const args = { projectId, enabled: false, onDelete: "restore" } as const;
    const mode = (Mode: typeof clouddb.PrivateIpMode | typeof plugin.PrivateIpMode) => () => {
      new Mode("mode", args);
      return Promise.resolve({});
    };
    const { stack, program } = await createInline(mode(plugin.PrivateIpMode));
    await stack.up();
    const same = { same: 2 };
    for (const next of [clouddb.PrivateIpMode, plugin.PrivateIpMode]) {
      program(mode(next));
      assert.deepEqual((await stack.up()).summary.resourceChanges, same);
      assert.deepEqual((await stack.refresh()).summary.resourceChanges, same);
    }
    assert.equal(service.patches().length, 1);
    const { stdout } = await stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, true, stdout);
  });
});
