import assert from "node:assert/strict";
import { projectId } from "../service";
import { useStack } from "./useStack";

describe("a lookup with ClusterConnectionStrings.get", () => {
  const { service, createStack } = useStack();

  it("fails in preview and update if the cluster does not exist", async () => {
    const { stack, failure } = await createStack(`
      const order = clouddb.ClusterConnectionStrings.get("order", "${projectId}/order");
      exports.url = pulumi.interpolate\`url=\${order.recommended}\`;
    `);
    for (const operation of [() => stack.preview(), () => stack.up()]) {
      const output = await failure(operation());
      assert.match(output, /has no cluster order\. The nearest .*orders/);
      assert.doesNotMatch(output, /undefined|\n\s+at /);
    }
  });

  it("fails in preview and update if the cluster was deleted after the last update", async () => {
    const { stack, failure } = await createStack(`
      exports.url = clouddb.ClusterConnectionStrings.get("orders", "${projectId}/orders").recommended;
    `);
    await stack.up();
    service.project().removeCluster("orders");
    assert.match(await failure(stack.preview()), /has no cluster orders/);
    assert.match(await failure(stack.up()), /has no cluster orders/);
  });
});
