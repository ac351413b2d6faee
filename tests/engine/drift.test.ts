import assert from "node:assert/strict";
import { restoringMode } from "./restoringMode";
import { useStack } from "./useStack";

describe("drift of private IP mode", () => {
  const { service, createStack } = useStack();

  it("causes an update, which reports the reason and sets the mode again", async () => {
    const { stack } = await createStack(restoringMode("mode"));
    await stack.up();
    service.project().setPrivateIpMode(true);
    const preview = await stack.preview({ diff: true });
    assert.equal(preview.changeSummary.update, 1);
    const reasons = preview.stdout.match(/private IP mode .* was turned on outside of this stack/g);
    assert.ok((reasons ?? []).length >= 1);
    const { summary } = await stack.up();
    assert.equal(summary.resourceChanges?.update, 1);
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.deepEqual((await stack.up()).summary.resourceChanges, { same: 2 });
    assert.deepEqual((await stack.preview()).changeSummary, { same: 2 });
    assert.doesNotMatch(
      JSON.stringify((await stack.exportStack()).deployment),
      /"outputs":\{[^}]*changedOutside/,
    );
  });

  it("fails a preview if a cluster now runs 6.0", async () => {
    const { stack, failure } = await createStack(restoringMode("mode"));
    await stack.up();
    service.project().setPrivateIpMode(true);
    service.project().updateCluster("orders", { version: "6.0.5" });
    assert.match(await failure(stack.preview()), /orders +6\.0\.5/);
  });

  it("is not reported if the mode has the requested value", async () => {
    const { stack } = await createStack(restoringMode("mode"));
    await stack.up();
    service.project().updateCluster("orders", { version: "6.0.5" });
    const { stdout, changeSummary } = await stack.preview();
    assert.deepEqual(changeSummary, { same: 2 });
    assert.doesNotMatch(stdout, /warning|disabling|outside/);
  });
});
