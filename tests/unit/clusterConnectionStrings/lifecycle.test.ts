import assert from "node:assert/strict";
import { querySchema } from "../../../provider/src/clusterConnectionStrings/args";
import {
  changedNames,
  kindChangeWarning,
} from "../../../provider/src/clusterConnectionStrings/lifecycle";

describe("the warning that the kind of a recommended string changes", () => {
  const network = { kind: "privateEndpoint" };
  const recorded = { projectId: "p", clusterName: "orders", network };
  const plain = { ...recorded, recommendedKind: "privateEndpointSrv" };
  const optimized = { ...recorded, recommendedKind: "privateEndpointOptimizedSrv" };

  it("says how to keep the unoptimized string", () => {
    assert.match(
      kindChangeWarning("orders", plain, optimized) ?? "",
      /orders changes from privateEndpointSrv to privateEndpointOptimizedSrv: .*optimized: false/,
    );
    const withDefaults = { ...optimized, form: "srv" };
    assert.ok(kindChangeWarning("orders", plain, withDefaults), "a generated SDK passes defaults");
  });

  it("says how to get the optimized string back", () => {
    assert.match(
      kindChangeWarning("orders", optimized, plain) ?? "",
      /no longer has an optimized string.*regionalized private endpoints.*optimized: true/,
    );
  });

  for (const [what, after] of [
    ["stays", optimized],
    ["changes with an argument", { ...plain, optimized: false }],
    ["is that of another cluster", { ...plain, clusterName: "other" }],
  ] as const) {
    it(`is omitted when the kind ${what}`, () => {
      assert.equal(kindChangeWarning("orders", optimized, after), undefined);
    });
  }

  it("names both kinds of any other change", () => {
    const standard = { ...recorded, recommendedKind: "standardSrv" };
    assert.equal(
      kindChangeWarning("orders", standard, plain),
      "the recommended string of cluster orders changes from standardSrv to privateEndpointSrv, although the arguments of the lookup are the same.",
    );
  });

  for (const argument of Object.keys(querySchema.shape)) {
    it(`is omitted when ${argument} changes`, () => {
      assert.equal(
        kindChangeWarning("orders", optimized, { ...plain, [argument]: "x" }),
        undefined,
      );
    });
  }

  it("is omitted for a lookup that has no result", () => {
    assert.equal(kindChangeWarning("orders", optimized, recorded), undefined);
  });

  it("is omitted for a lookup that is not recorded yet, or only with its arguments", () => {
    assert.equal(kindChangeWarning("orders", {}, optimized), undefined);
    assert.equal(kindChangeWarning("orders", recorded, optimized), undefined);
  });
});

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
