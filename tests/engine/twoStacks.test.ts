import assert from "node:assert/strict";
import { restoringMode } from "./restoringMode";
import { useStack } from "./useStack";

describe("private IP mode managed by two stacks", () => {
  const { service, createStack } = useStack();

  /** Deploys two stacks, and destroys the first one. */
  const destroyFirst = async (pulumiProject: string) => {
    const { stack } = await createStack(restoringMode("mode"));
    await stack.up();
    const second = await createStack(restoringMode("mode"), { pulumiProject });
    await second.stack.up();
    return { second, ...(await stack.destroy()) };
  };

  it("is kept on destroy if another Pulumi project adopted it recently", async () => {
    const { second, stdout } = await destroyFirst("another");
    assert.match(stdout, /is kept as it is: the Pulumi project another set or adopted it/);
    assert.equal(service.project().privateIpMode.enabled, false);
    // Removes the note of this Pulumi project, which would affect later tests.
    await second.stack.destroy();
  });

  it("is restored on destroy if the other stack belongs to the same Pulumi project; that stack then shows drift", async () => {
    const { second, stdout } = await destroyFirst("tested");
    assert.match(
      stdout,
      /was turned back on, .* another stack manages it, its next preview shows a change/,
    );
    assert.equal((await second.stack.preview()).changeSummary.update, 1);
    await second.stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
  });
});
