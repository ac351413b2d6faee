import assert from "node:assert/strict";
import { providerText } from "../../../provider/src/session/providerText";

describe("the provider text", () => {
  for (const lifecycle of ["privateIpMode", "clusterConnectionStrings"] as const) {
    it(`adds at most 100 bytes to the state for ${lifecycle}`, () => {
      assert.ok(Buffer.byteLength(providerText(lifecycle)) <= 100);
    });
  }

  it("equals the text that released versions recorded", () => {
    const text = 'exports.handler=()=>require("pulumi-clouddb/runtime").privateIpMode';
    assert.equal(providerText("privateIpMode"), text);
  });
});
