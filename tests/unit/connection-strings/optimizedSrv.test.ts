import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type OptimizedSrvCondition,
  type OptimizedSrvFacts,
  optimizedSrvEligibility,
} from "../../../connection-strings/src";
import { codeOf } from "./given";

const east = { name: "us-east-1", provider: "A" } as const;
const west = { name: "eu-west-1", provider: "A" } as const;
const elsewhere = { name: "westeurope", provider: "B" } as const;

/** All conditions of rule 4 hold. */
const met: OptimizedSrvFacts = {
  sharded: true,
  regions: [east],
  version: "5.0.0",
  privateEndpoint: true,
  regionalizedPrivateEndpoints: false,
  driverMeetsMinimum: true,
};

const unmet = (change: Partial<OptimizedSrvFacts>): OptimizedSrvCondition[] => {
  const result = optimizedSrvEligibility({ ...met, ...change });
  return result.eligible ? [] : result.unmet.map(({ condition }) => condition);
};

describe("optimizedSrvEligibility (2.6 rules 4 to 6)", () => {
  const conditions: [rule: string, change: Partial<OptimizedSrvFacts>, OptimizedSrvCondition[]][] =
    [
      ["rule 4: all conditions met", {}, []],
      ["rule 4: not sharded", { sharded: false }, ["sharded"]],
      ["rule 4: outside provider A", { regions: [elsewhere] }, ["provider"]],
      ["rule 4: version 4.4.29", { version: "4.4.29" }, ["version"]],
      ["rule 4: version 5.0", { version: "5.0" }, []],
      ["rule 4: a release candidate of 5.0", { version: "5.0.0-rc1" }, ["version"]],
      ["rule 4: no private endpoint", { privateEndpoint: false }, ["privateEndpoint"]],
      [
        "rule 4: several regions, not regionalized",
        { regions: [east, west] },
        ["regionalizedPrivateEndpoints"],
      ],
      [
        "rule 4: one region listed twice, in two spellings",
        { regions: [east, { name: "US_EAST_1", provider: "A" }] },
        [],
      ],
      [
        "rule 4: regions of the same name in two providers",
        { regions: [east, { ...east, provider: "B" }] },
        ["regionalizedPrivateEndpoints"],
      ],
      [
        "rule 4: several regions, regionalized",
        { regions: [east, west], regionalizedPrivateEndpoints: true },
        [],
      ],
      ["rule 4: an old driver", { driverMeetsMinimum: false }, ["driver"]],
    ];
  for (const [rule, change, expected] of conditions) {
    it(`${rule}: ${expected.length === 0 ? "eligible" : `names ${expected.join(", ")}`}`, () => {
      assert.deepEqual(unmet(change), expected);
    });
  }

  it("rule 4: names every condition that is not met, with the reason", () => {
    const result = optimizedSrvEligibility({
      sharded: false,
      regions: [elsewhere, { name: "eu", provider: "C" }],
      version: "4.4.0",
      privateEndpoint: false,
      regionalizedPrivateEndpoints: false,
      driverMeetsMinimum: false,
    });
    assert.ok(!result.eligible);
    assert.equal(result.unmet.length, 6);
    assert.match(result.unmet[2]?.reason ?? "", /4\.4\.0 is below 5\.0/);
  });

  it("rule 4: supports only the regions of provider A of a cluster in several", () => {
    const facts = { regions: [east, elsewhere], regionalizedPrivateEndpoints: true };
    const result = optimizedSrvEligibility({ ...met, ...facts });
    assert.ok(result.eligible);
    assert.deepEqual(result.regions, ["us-east-1"]);
  });

  it("rule 5: warns that one record does not lead to several regions", () => {
    const facts = { regions: [east, west], regionalizedPrivateEndpoints: true };
    const result = optimizedSrvEligibility({ ...met, ...facts });
    assert.ok(result.eligible);
    assert.match(result.warnings.join(), /rule 5/);
  });

  it("rule 6: warns of a conversion to several regions", () => {
    const result = optimizedSrvEligibility(met);
    assert.ok(result.eligible);
    assert.match(result.warnings.join(), /rule 6/);
  });

  it("is eligible exactly where no condition is unmet (property)", () => {
    const facts = fc.record({
      sharded: fc.boolean(),
      regions: fc.array(fc.constantFrom(east, west, elsewhere), { minLength: 1, maxLength: 3 }),
      version: fc.constantFrom("4.4.9", "5.0.0", "8.0.4"),
      privateEndpoint: fc.boolean(),
      regionalizedPrivateEndpoints: fc.boolean(),
      driverMeetsMinimum: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (given) => {
        const { eligible } = optimizedSrvEligibility(given);
        assert.equal(
          eligible,
          given.sharded &&
            given.regions.some(({ provider }) => provider === "A") &&
            given.version !== "4.4.9" &&
            given.privateEndpoint &&
            (new Set(given.regions).size === 1 || given.regionalizedPrivateEndpoints) &&
            given.driverMeetsMinimum,
        );
      }),
    );
  });

  it("refuses facts that are none", () => {
    assert.equal(
      codeOf(() => unmet({ version: "new" })),
      "invalid-facts",
    );
    assert.equal(
      codeOf(() => unmet({ regions: [] })),
      "invalid-facts",
    );
  });
});
