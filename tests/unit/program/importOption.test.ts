import assert from "node:assert/strict";
import { ClusterConnectionStrings } from "../../../provider/src/clusterConnectionStrings/resource";
import { PrivateIpMode } from "../../../provider/src/privateIpMode/resource";

describe("the resource option import", () => {
  const projectId = "64a0c0ffee0000000000a001";
  const expected = {
    name: "Error",
    message:
      /^the resource "orders" has the option import, .* do not support\. Remove the option: creating the resource adopts/,
  };

  it("is rejected for PrivateIpMode", () => {
    const options = { import: projectId };
    const declare = () => new PrivateIpMode("orders", { projectId, enabled: false }, options);
    assert.throws(declare, expected);
  });

  it("is rejected for ClusterConnectionStrings", () => {
    const options = { import: `${projectId}/orders` };
    const args = { projectId, clusterName: "orders" };
    assert.throws(() => new ClusterConnectionStrings("orders", args, options), expected);
  });
});
