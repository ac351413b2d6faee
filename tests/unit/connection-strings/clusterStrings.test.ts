import assert from "node:assert/strict";
import fc from "fast-check";
import { clusterStrings } from "../../../connection-strings/src";

const standard = "db://orders-shard-00-00.ab1cd.db.example:27017";
const standardSrv = "db+srv://orders.ab1cd.db.example";

describe("clusterStrings", () => {
  it("returns every string by kind, unchanged", () => {
    const record = {
      standard,
      standardSrv,
      private: "db://orders-shard-00-00-pri.ab1cd.db.example:27017",
      privateSrv: "db+srv://orders-pri.ab1cd.db.example",
    };
    assert.deepEqual(clusterStrings({ ...record, privateEndpoint: [] }), {
      ...record,
      privateEndpoints: [],
    });
  });

  it("returns no strings for a cluster that is being created", () => {
    assert.deepEqual(clusterStrings(undefined), { privateEndpoints: [] });
    assert.deepEqual(clusterStrings({}), { privateEndpoints: [] });
  });

  it("returns legacy strings from the fields legacy and legacySrv (2.6 rule 7)", () => {
    const legacy = "db://orders-shard-00-00-ab1cd.db.example:27017";
    const legacySrv = "db+srv://orders-ab1cd.db.example";
    const strings = clusterStrings({ standard, standardSrv, legacy, legacySrv });
    assert.deepEqual(strings, { standard, standardSrv, legacy, legacySrv, privateEndpoints: [] });
  });

  it("recognizes legacy strings by their form in any field under any domain (2.6 rule 1)", () => {
    const host = (name: string) => `db+srv://${name}.eu.db.example`;
    const strings = clusterStrings({
      standard: "db://my-orders-shard-00-00.ab1cd.eu.db.example:27017",
      standardSrv: host("my-orders.ab1cd"),
      oldSrv: host("my-orders-ab1cd"),
      standardLegacy: "db://my-orders-shard-00-00-ab1cd.eu.db.example:27017",
    });
    assert.equal(strings.legacySrv, host("my-orders-ab1cd"));
    assert.equal(strings.legacy, "db://my-orders-shard-00-00-ab1cd.eu.db.example:27017");
    assert.equal(strings.others, undefined);
  });

  it("does not mistake a peering-private string for a legacy one", () => {
    const privateSrv = "db+srv://orders-pri-ab1cd.db.example";
    assert.deepEqual(clusterStrings({ privateSrv }), { privateSrv, privateEndpoints: [] });
  });

  it("returns unknown fields as others under their own names", () => {
    const others = { gateway: "db://gw.example:443", more: { a: ["db+srv://x.y.z"] } };
    const strings = clusterStrings({ standardSrv, ...others, empty: null });
    assert.deepEqual(strings, { standardSrv, privateEndpoints: [], others });
  });

  it("returns every string, whichever field it is in (property)", () => {
    const label = fc.string({
      unit: fc.constantFrom(...Array.from("ab1-")),
      minLength: 1,
      maxLength: 8,
    });
    const uri = fc.oneof(
      label.map((name) => `db+srv://${name}.ab1cd.db.example`),
      label.map((name) => `db://${name}-shard-00-00-ab1cd.db.example:1`),
      label.map((name) => `db+srv://${name}.db.example`),
    );
    const field = fc.constantFrom("standard", "standardSrv", "private", "legacy", "a", "b", "c");
    fc.assert(
      fc.property(fc.dictionary(field, uri, { noNullPrototype: true }), (record) => {
        const { privateEndpoints, others = {}, ...named } = clusterStrings(record);
        const outputs = [...Object.values(named), ...Object.values(others)];
        for (const text of Object.values(record)) assert.ok(outputs.includes(text));
        assert.deepEqual(privateEndpoints, []);
      }),
      { numRuns: 1000 },
    );
  });
});
