import assert from "node:assert/strict";
import { changedNames } from "../../../provider/src/clusterConnectionStrings/lifecycle";

describe("the comparison of two lookups", () => {
  const args = { projectId: "p", clusterName: "orders" };

  it("treats null, undefined and a missing key as equal", () => {
    assert.deepEqual(changedNames(args, { ...args, legacy: null, private: undefined }), []);
  });

  it("ignores values of others that are not text, which earlier versions recorded", () => {
    const texts = { analyticsSrv: "db://a" };
    const recorded = { ...args, others: { ...texts, more: { a: ["b"] }, flag: true, empty: "" } };
    assert.deepEqual(changedNames(recorded, { ...args, others: texts }), []);
    assert.deepEqual(
      changedNames({ ...args, others: { more: [] } }, { ...args, others: null }),
      [],
    );
    assert.deepEqual(changedNames(recorded, { ...args, others: { analyticsSrv: "db://b" } }), [
      "others",
    ]);
  });

  it("names the differences at any depth", () => {
    const lookup = (region: string) => ({ ...args, privateEndpoints: [{ region }] });
    assert.deepEqual(changedNames(lookup("a"), lookup("a")), []);
    assert.deepEqual(changedNames(lookup("a"), lookup("b")), ["privateEndpoints"]);
    assert.deepEqual(changedNames(args, { ...args, legacy: "db://a" }), ["legacy"]);
  });
});
