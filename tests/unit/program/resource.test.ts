import assert from "node:assert/strict";
import { ClusterConnectionStrings, PrivateIpMode } from "pulumi-clouddb";
import { providerText } from "../../../provider/src/providerText";

describe("a resource in a program", () => {
  const projectId = "64a0c0ffee0000000000a001";
  const args = { projectId, clusterName: "orders" };

  it("rejects the option import", () => {
    const options = { import: projectId };
    const expected = {
      name: "Error",
      message:
        /^the resource "orders" has the option import, .* do not support\. Remove the option, because creating the resource adopts/,
    };
    for (const declare of [
      () => new PrivateIpMode("orders", { projectId, enabled: false }, options),
      () => new ClusterConnectionStrings("orders", args, options),
    ]) {
      assert.throws(declare, expected);
    }
  });

  it("keeps the stack trace of an error, and restores Error.stackTraceLimit", () => {
    const before = Error.stackTraceLimit;
    assert.throws(
      () => new ClusterConnectionStrings("", args),
      (error: Error) => /resource\.test/.test(error.stack ?? ""),
    );
    assert.equal(Error.stackTraceLimit, before);
  });
});

describe("the provider loader", () => {
  for (const lifecycle of ["privateIpMode", "clusterConnectionStrings"] as const) {
    it(`equals the text that released versions recorded for ${lifecycle}`, () => {
      const text = `exports.handler=()=>require("pulumi-clouddb/runtime").${lifecycle}`;
      assert.equal(providerText(lifecycle), text);
    });
  }
});
