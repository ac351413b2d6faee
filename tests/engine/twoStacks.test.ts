import assert from "node:assert/strict";
import { restoringMode } from "./restoringMode";
import { useStack } from "./useStack";

describe("private IP mode managed by two stacks of one Pulumi project", () => {
  const { service, createStack } = useStack();

  it("is kept when one of them is destroyed, whose mode the other one still manages", async () => {
    const [dev, prod] = [
      await createStack(restoringMode("mode"), { stackName: "dev" }),
      await createStack(restoringMode("mode"), { stackName: "prod" }),
    ];
    await dev.stack.up();
    await prod.stack.up();
    const { stdout } = await dev.stack.destroy();
    assert.match(stdout, /is kept as it is: the stack tested\/prod managed it/);
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.deepEqual((await prod.stack.preview()).changeSummary, { same: 2 });
  });

  it("is kept if an earlier version recorded no stack, whose state shows no change", async () => {
    const { stack } = await createStack(restoringMode("mode"));
    await stack.up();
    const recorded = JSON.stringify(await stack.exportStack());
    const withoutStack = recorded.replaceAll(',"managingStack":"tested/test"', "");
    assert.notEqual(withoutStack, recorded);
    await stack.importStack(
      JSON.parse(withoutStack) as Awaited<ReturnType<typeof stack.exportStack>>,
    );
    assert.deepEqual((await stack.preview()).changeSummary, { same: 2 });
    assert.deepEqual((await stack.refresh()).summary.resourceChanges, { same: 2 });
    assert.deepEqual((await stack.up()).summary.resourceChanges, { same: 2 });
    assert.deepEqual((await stack.refresh()).summary.resourceChanges, { same: 2 });
    const { stdout } = await stack.destroy();
    assert.match(stdout, /stack tested\/test managed it .* does not say whether/);
    assert.equal(service.project().privateIpMode.enabled, false);
  });
});
