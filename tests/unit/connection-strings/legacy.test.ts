import assert from "node:assert/strict";
import { classify, isLegacy, legacyToStandard } from "../../../connection-strings/src";
import { thrownCode } from "./thrownCode";

/** Legacy strings, and the standard strings that replaced them (rule 1). */
const replacements: [what: string, legacy: string, standard: string, domain?: string][] = [
  [
    "an SRV form under a domain of three labels",
    "db+srv://my-orders-ab1cd.eu.db.example/app?x=1",
    "db+srv://my-orders.ab1cd.eu.db.example/app?x=1",
    "eu.db.example",
  ],
  [
    "a host list of one name, as in the table",
    "db://my-orders-ab1cd.db.example:27017",
    "db://my-orders.ab1cd.db.example:27017",
  ],
  [
    "a peering-private host list",
    "db://o-shard-00-00-pri-ab1cd.db.example:27017",
    "db://o-shard-00-00-pri.ab1cd.db.example:27017",
  ],
  [
    "a string with credentials",
    "db+srv://user:p%40ss@Orders-AB1CD.db.example",
    "db+srv://user:p%40ss@Orders.AB1CD.db.example",
  ],
];

describe("legacyToStandard (2.6 rule 1)", () => {
  for (const [what, legacy, standard, domain] of replacements) {
    it(`changes one character per host in ${what}`, () => {
      assert.equal(isLegacy(legacy, { domain }), true);
      assert.equal(legacyToStandard(legacy, { domain }), standard);
      const options = { domain: domain ?? "db.example" };
      assert.match(classify(standard, options).kind, /^(standard|peeringPrivate)$/);
    });
  }

  it("rejects a string that is not legacy", () => {
    for (const text of ["db+srv://orders.ab1cd.db.example", "db+srv://orders-pri.a.b.c", "x"]) {
      assert.equal(isLegacy(text), false);
      assert.equal(
        thrownCode(() => legacyToStandard(text)),
        "not-legacy",
      );
    }
  });

  it("rejects private endpoint names from before 2020, which have no standard string", () => {
    for (const text of [
      "db+srv://orders-pl-0-ab1cd.db.example",
      "db://pl-0-us-east-1-ab1cd.db.example:1024",
      "db+srv://orders-pl-0-lb-ab1cd.db.example",
    ]) {
      for (const options of [{}, { domain: "db.example" }]) {
        assert.equal(isLegacy(text, options), false);
        assert.equal(
          thrownCode(() => legacyToStandard(text, options)),
          "not-legacy",
        );
      }
    }
  });
});
