import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "clouddb-simulator";
import { providerText } from "../../../provider/src/session/providerText";
import { projectId } from "../../service";
import { dynamicPreamble } from "../stack";
import { usePluginStack } from "./usePluginStack";

/** A resource that a released version recorded. */
interface Recorded {
  readonly what: string;
  readonly args: Record<string, unknown>;
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

const folder = join(__dirname, "..", "..", "protocol", "states");
const prefix = "clusterConnectionStrings-";
const seed = JSON.parse(readFileSync(join(folder, "seed.json"), "utf8")) as Seed;
const files = readdirSync(folder).filter((file) => file.startsWith(prefix));

describe("a stack that moves between pulumi-clouddb and the plugin", () => {
  const { service, createStack, preamble } = usePluginStack({ seed });

  for (const file of files) {
    it(`shows no change with the states in ${file}, and back`, async () => {
      const recorded = JSON.parse(readFileSync(join(folder, file), "utf8")) as Recorded[];
      const program = recorded
        .map(
          ({ args }, index) =>
            `new clouddb.ClusterConnectionStrings("lookup${index}", ${JSON.stringify(args)});`,
        )
        .join("\n");
      const same = { same: recorded.length + 1 };
      const { stack, program: replace } = await createStack(program, { preamble: dynamicPreamble });
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

      for (const next of [preamble(), dynamicPreamble]) {
        replace(program, next);
        assert.deepEqual((await stack.preview()).changeSummary, same);
        assert.deepEqual((await stack.up()).summary.resourceChanges, same);
      }
    });
  }

  it("keeps the mode, also when it is refreshed and destroyed", async () => {
    const program = `new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: false, onDelete: "restore" });`;
    const { stack, program: replace } = await createStack(program);
    await stack.up();
    const same = { same: 2 };
    for (const next of [dynamicPreamble, preamble(), dynamicPreamble]) {
      replace(program, next);
      assert.deepEqual((await stack.preview()).changeSummary, same);
      assert.deepEqual((await stack.up()).summary.resourceChanges, same);
      assert.deepEqual((await stack.refresh()).summary.resourceChanges, same);
    }
    assert.equal(service.patches().length, 1);
    const { stdout } = await stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, true, stdout);
  });
});
