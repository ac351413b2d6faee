import assert from "node:assert/strict";
import { changedNames } from "../../../provider/src/clusterConnectionStrings/lifecycle";

describe("the comparison of two lookups", () => {
  const args = { projectId: "p", clusterName: "orders" };

  it("treats null, undefined and a missing key as equal", () => {
    assert.deepEqual(changedNames(args, { ...args, legacy: null, private: undefined }), []);
  });

  it("names the differences at any depth", () => {
    const lookup = (region: string) => ({ ...args, privateEndpoints: [{ region }] });
    assert.deepEqual(changedNames(lookup("a"), lookup("a")), []);
    assert.deepEqual(changedNames(lookup("a"), lookup("b")), ["privateEndpoints"]);
    assert.deepEqual(changedNames(args, { ...args, legacy: "db://a" }), ["legacy"]);
  });
});
