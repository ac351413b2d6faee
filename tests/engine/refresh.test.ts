import assert from "node:assert/strict";
import type { Stack } from "@pulumi/pulumi/automation";
import { projectId } from "../service";
import { restoringMode } from "./restoringMode";
import { useStack } from "./useStack";

describe("a refresh", () => {
  const { service, createStack } = useStack();
  const lookup = `new clouddb.ClusterConnectionStrings("orders", { projectId: "${projectId}", clusterName: "orders" });`;
  const resourceTypes = async (stack: Stack) => {
    const { deployment } = (await stack.exportStack()) as {
      deployment: { resources: { type: string }[] };
    };
    return deployment.resources.map(({ type }) => type.split(":").at(-1));
  };

  it("fails and keeps the resources if apiPath is wrong, and shows no change once it is corrected", async () => {
    const { stack, failure } = await createStack(restoringMode("mode") + lookup);
    await stack.up();
    stack.workspace.envVars["CLOUDDB_API_PATH"] = "/api/other/v1.0";
    const output = await failure(stack.refresh());
    assert.match(
      output,
      /this does not prove that it was deleted: .*baseUrl and apiPath .*\/api\/other\/v1\.0/,
    );
    assert.doesNotMatch(output, /\n\s+at /);
    delete stack.workspace.envVars["CLOUDDB_API_PATH"];
    const { summary } = await stack.refresh();
    assert.deepEqual(summary.resourceChanges, { same: 3 });
    assert.ok((await resourceTypes(stack)).includes("PrivateIpMode"));
    assert.ok((await resourceTypes(stack)).includes("ClusterConnectionStrings"));
  });

  it("removes the lookup of a deleted cluster from the state", async () => {
    const { stack } = await createStack(lookup);
    await stack.up();
    service.project().removeCluster("orders");
    const { stdout } = await stack.refresh();
    assert.match(stdout, /has no cluster orders\. .* removed from the state/);
    assert.ok(!(await resourceTypes(stack)).includes("ClusterConnectionStrings"));
  });
});
