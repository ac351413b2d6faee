import assert from "node:assert/strict";
import { CloudDbProvider } from "../../../plugin/src/provider";
import { modulesOfPulumi } from "../../../provider/src/providerProcess/engine";
import { projectId, settingsFor, useService } from "../../service";

describe("the plugin's diff of a setting that was changed outside of the stack", () => {
  const service = useService();
  const urn = "urn:pulumi:test::tested::clouddb:index:PrivateIpMode::mode";
  const recorded = { projectId, enabled: false, enabledAtAdoption: true, managingStack: "a/b" };

  it("names the setting, and no other difference unless that is a change", async () => {
    const environment = settingsFor(service);
    const modules = modulesOfPulumi();
    const provider = new CloudDbProvider({ engineAddress: undefined, modules, environment });
    for (const [change, changed] of [
      [{}, []],
      [{ onDelete: "restore" }, ["managingStack", "onDelete"]],
    ] as const) {
      const program = { projectId, enabled: false, ...change };
      const { inputs } = await provider.check(urn, recorded, program);
      assert.ok(inputs !== undefined);
      const diff = await provider.diff(urn, projectId, recorded, inputs);
      assert.deepEqual([diff.changes, diff.changed, diff.drift], [true, changed, ["enabled"]]);
    }
  });
});
