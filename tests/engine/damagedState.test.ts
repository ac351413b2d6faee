import assert from "node:assert/strict";
import { projectId } from "../service";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

interface Deployment {
  readonly resources: { readonly type: string; outputs?: object; inputs?: object }[];
}

describe("a stack whose state was edited or damaged", () => {
  const { createStack, run } = useStack();

  /** Creates a stack with one resource, and writes invalid values into its recorded state. */
  const damagedStack = async (program: string, invalid: object): Promise<TestStack> => {
    const tested = await createStack(program);
    await tested.stack.up();
    const exported = await tested.stack.exportStack();
    const { resources } = exported.deployment as Deployment;
    const resource = resources.find(({ type }) => type.includes("clouddb:"));
    assert.ok(resource);
    resource.outputs = { ...resource.outputs, ...invalid };
    resource.inputs = { ...resource.inputs, ...invalid };
    await tested.stack.importStack(exported);
    return tested;
  };
  const namesProperty = (property: string) =>
    new RegExp(
      `state of .* was edited or damaged[^]*\\n *${property}: [^]*pulumi stack export[^]*pulumi state delete`,
    );

  it("reports the invalid property of a PrivateIpMode in preview, up, refresh and destroy", async () => {
    const program = `new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: false });`;
    const tested = await damagedStack(program, { enabled: "no" });
    const { stack, failure } = tested;
    for (const operation of [
      () => stack.preview(),
      () => stack.up(),
      () => stack.refresh(),
      () => stack.destroy(),
    ]) {
      const output = await failure(operation());
      assert.match(output, namesProperty("enabled"));
      assert.doesNotMatch(output, /\n\s+at |ZodError/);
    }
    // The error recommends this command, after which the next update adopts the current mode.
    const { deployment } = (await stack.exportStack()) as {
      deployment: { resources: { urn: string }[] };
    };
    const urn = deployment.resources.find((each) => each.urn.includes("PrivateIpMode"))?.urn;
    const args = ["state", "delete", String(urn), "--yes", "--stack", "test"];
    const { code, stderr } = await run(tested, "pulumi", args).result;
    assert.equal(code, 0, stderr);
    await stack.up();
    await stack.destroy();
  });

  it("reports the invalid property of a lookup in preview, up and refresh, and allows a destroy", async () => {
    const program = `new clouddb.ClusterConnectionStrings("orders", { projectId: "${projectId}", clusterName: "orders" });`;
    const { stack, failure } = await damagedStack(program, { privateEndpoints: "none" });
    for (const operation of [() => stack.preview(), () => stack.up(), () => stack.refresh()]) {
      const output = await failure(operation());
      assert.match(output, namesProperty("privateEndpoints"));
      assert.doesNotMatch(output, /\n\s+at |ZodError/);
    }
    const { stdout } = await stack.destroy();
    assert.match(stdout, /was edited or damaged[^]*privateEndpoints/);
  });
});
