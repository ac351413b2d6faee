import assert from "node:assert/strict";
import { changedNames } from "../../../provider/src/clusterConnectionStrings/lifecycle";
import { readRecorded } from "../../../provider/src/clusterConnectionStrings/state";

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

describe("the recorded state of a lookup", () => {
  it("may have properties of a later version, null outputs and the fractions of an early version", () => {
    const endpoint = { endpointIds: ["vpce-1"], srv: null, later: 1 };
    const state = { standard: null, privateEndpoints: [endpoint], waitSeconds: 0.5, later: 1 };
    assert.deepEqual(readRecorded(state), { network: { kind: "internet" }, form: "srv", ...state });
  });

  it("is reported with the name of a damaged property", () => {
    for (const [state, name] of [
      [{ standard: 7 }, "standard"],
      [{ privateEndpoints: [{ endpointIds: [7] }] }, "privateEndpoints.0.endpointIds.0"],
    ] as const)
      assert.throws(
        () => readRecorded(state),
        new RegExp(`the state of this ClusterConnectionStrings resource is damaged \\(${name}\\)`),
      );
  });
});
