import assert from "node:assert/strict";
import { key } from "../service";
import { killedUpdate } from "./killedUpdate";
import { restoringMode } from "./restoringMode";
import { useStack } from "./useStack";

describe("a PrivateIpMode that is renamed without an alias", () => {
  const { service, createStack } = useStack();
  const failing = `new (class extends pulumi.dynamic.Resource { constructor(name, options) {
    super({ create: () => Promise.reject(new Error("another resource fails")) }, name, {}, options);
  } })("failing", { dependsOn: renamed });`;
  const provider = `const renamed_provider = new clouddb.Provider("same", ${JSON.stringify(key)});`;

  for (const [where, prelude, options] of [
    ["with the same provider", "", "{}"],
    ["when it also moves to an explicit provider", provider, "{ provider: renamed_provider }"],
  ] as const) {
    const renamed = `${prelude} const renamed = ${restoringMode("new", options)}`;

    it(`keeps the mode ${where}`, async () => {
      const { stack, program } = await createStack(restoringMode("old"));
      await stack.up();
      program(renamed);
      const { stdout } = await stack.up();
      assert.equal(service.project().privateIpMode.enabled, false);
      assert.match(stdout, /is kept as it is: another resource of this stack manages it now/);
      assert.equal((await stack.preview()).changeSummary.update, undefined);
    });

    it(`keeps the mode ${where} if the update fails before the old resource is deleted`, async () => {
      const { stack, program, failure } = await createStack(restoringMode("old"));
      await stack.up();
      program(renamed + failing);
      await failure(stack.up());
      program(renamed);
      const { stdout } = await stack.up();
      assert.equal(service.project().privateIpMode.enabled, false);
      assert.match(stdout, /is kept as it is/);
    });
  }

  it("keeps the mode if the provider process is killed during the update", async () => {
    const tested = await createStack(restoringMode("old"));
    const { stack, program } = tested;
    await stack.up();
    program(restoringMode("new"));
    // Before the first request of create. The new resource may or may not be recorded.
    await killedUpdate(tested, 5);
    await stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
  });

  it("restores the original mode if both the old and the new resource are destroyed", async () => {
    const { stack, program, failure } = await createStack(restoringMode("old"));
    await stack.up();
    program(`const renamed = ${restoringMode("new")}${failing}`);
    await failure(stack.up());
    const { stdout } = await stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, true);
    assert.match(stdout, /was turned back on, its value when this resource was created/);
  });
});

describe("a PrivateIpMode that moves to an explicit provider", () => {
  const { service, createStack } = useStack();

  it("keeps the mode, and restores the mode at adoption when it is destroyed", async () => {
    const { stack, program } = await createStack(restoringMode("mode"));
    await stack.up();
    program(
      `const other = new clouddb.Provider("same", ${JSON.stringify(key)});${restoringMode("mode", "{ provider: other }")}`,
    );
    await stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
    await stack.destroy();
    assert.equal(service.project().privateIpMode.enabled, true, "the mode at adoption is restored");
  });
});
