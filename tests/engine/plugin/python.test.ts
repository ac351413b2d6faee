import assert from "node:assert/strict";
import { settingsFor } from "../../service";
import { installPython } from "./sdks";
import { skipIfMissing } from "../../missing";
import { usePluginStack } from "./usePluginStack";

describe("a stack in Python", () => {
  const { service, createExample } = usePluginStack();
  const path: string[] = [];

  before("install Python's SDK and language host", function () {
    this.timeout(300_000);
    try {
      path.push(...installPython());
    } catch (error) {
      skipIfMissing(this, error);
    }
  });

  it("shows real strings in preview, shows no change after an update, and is destroyed", async () => {
    const { stack, failure } = await createExample("python", {
      ...settingsFor(service),
      PATH: [...path, process.env["PATH"]].join(":"),
    });
    const preview = await stack.preview();
    assert.match(preview.stdout, /ordersFromPeeredNetwork *: "db\+srv:\/\/orders-pri\./);
    const { outputs } = await stack.up();
    assert.match(String(outputs["billingLegacy"]?.value), /^db\+srv:\/\/billing-/);
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.deepEqual((await stack.preview()).changeSummary, { same: 6 });
    assert.deepEqual((await stack.refresh()).summary.resourceChanges, { same: 6 });
    service.project().setPrivateIpMode(true);
    service.project().updateCluster("orders", { version: "6.0.5" });
    assert.match(await failure(stack.preview()), /orders +6\.0\.5/);
    await stack.destroy();
  });
});
