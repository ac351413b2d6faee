import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type OptimizedSrvCondition,
  type OptimizedSrvFacts,
  optimizedSrvEligibility,
} from "../../../connection-strings/src";
import { thrownCode } from "./thrownCode";

const east = { name: "us-east-1", provider: "A" } as const;
const west = { name: "eu-west-1", provider: "A" } as const;
const inProviderB = { name: "westeurope", provider: "B" } as const;

/** Facts that meet all conditions of rule 4. */
const eligibleFacts: OptimizedSrvFacts = {
  sharded: true,
  regions: [east],
  version: "5.0.0",
  privateEndpoint: true,
  regionalizedPrivateEndpoints: false,
  driverMeetsMinimum: true,
};

const unmetConditions = (change: Partial<OptimizedSrvFacts>): OptimizedSrvCondition[] => {
  const result = optimizedSrvEligibility({ ...eligibleFacts, ...change });
  return result.eligible ? [] : result.unmet.map(({ condition }) => condition);
};

describe("optimizedSrvEligibility (2.6 rules 4 to 6)", () => {
  const examples: [
    what: string,
    change: Partial<OptimizedSrvFacts>,
    unmet: OptimizedSrvCondition[],
  ][] = [
    ["a cluster that meets all conditions", {}, []],
    ["a cluster that is not sharded", { sharded: false }, ["sharded"]],
    ["a cluster outside provider A", { regions: [inProviderB] }, ["provider"]],
    ["version 4.4.29", { version: "4.4.29" }, ["version"]],
    ["version 5.0", { version: "5.0" }, []],
    ["a release candidate of 5.0", { version: "5.0.0-rc1" }, ["version"]],
    ["a cluster without a private endpoint", { privateEndpoint: false }, ["privateEndpoint"]],
    [
      "several regions without regionalized private endpoints",
      { regions: [east, west] },
      ["regionalizedPrivateEndpoints"],
    ],
    ["one region in two spellings", { regions: [east, { name: "US_EAST_1", provider: "A" }] }, []],
    [
      "regions of the same name in two providers",
      { regions: [east, { ...east, provider: "B" }] },
      ["regionalizedPrivateEndpoints"],
    ],
    [
      "several regions with regionalized private endpoints",
      { regions: [east, west], regionalizedPrivateEndpoints: true },
      [],
    ],
    ["a driver below the minimum version", { driverMeetsMinimum: false }, ["driver"]],
  ];
  for (const [what, change, expected] of examples) {
    const result =
      expected.length === 0 ? "accepts" : `returns ${expected.join(", ")} as unmet for`;
    it(`${result} ${what} (rule 4)`, () => {
      assert.deepEqual(unmetConditions(change), expected);
    });
  }

  it("returns every unmet condition with its reason (rule 4)", () => {
    const result = optimizedSrvEligibility({
      sharded: false,
      regions: [inProviderB, { name: "eu", provider: "C" }],
      version: "4.4.0",
      privateEndpoint: false,
      regionalizedPrivateEndpoints: false,
      driverMeetsMinimum: false,
    });
    assert.ok(!result.eligible);
    assert.equal(result.unmet.length, 6);
    assert.match(result.unmet[2]?.reason ?? "", /4\.4\.0 is below 5\.0/);
  });

  it("returns only regions of provider A for a cluster in several providers (rule 4)", () => {
    const facts = { regions: [east, inProviderB], regionalizedPrivateEndpoints: true };
    const result = optimizedSrvEligibility({ ...eligibleFacts, ...facts });
    assert.ok(result.eligible);
    assert.deepEqual(result.regions, ["us-east-1"]);
  });

  it("warns that one SRV record cannot cover several regions (rule 5)", () => {
    const facts = { regions: [east, west], regionalizedPrivateEndpoints: true };
    const result = optimizedSrvEligibility({ ...eligibleFacts, ...facts });
    assert.ok(result.eligible);
    assert.match(result.warnings.join(), /rule 5/);
  });

  it("warns about a later conversion to several regions (rule 6)", () => {
    const result = optimizedSrvEligibility(eligibleFacts);
    assert.ok(result.eligible);
    assert.match(result.warnings.join(), /rule 6/);
  });

  it("accepts a cluster if and only if it meets every condition (property)", () => {
    const facts = fc.record({
      sharded: fc.boolean(),
      regions: fc.array(fc.constantFrom(east, west, inProviderB), { minLength: 1, maxLength: 3 }),
      version: fc.constantFrom("4.4.9", "5.0.0", "8.0.4"),
      privateEndpoint: fc.boolean(),
      regionalizedPrivateEndpoints: fc.boolean(),
      driverMeetsMinimum: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (anyFacts) => {
        const { eligible } = optimizedSrvEligibility(anyFacts);
        assert.equal(
          eligible,
          anyFacts.sharded &&
            anyFacts.regions.some(({ provider }) => provider === "A") &&
            anyFacts.version !== "4.4.9" &&
            anyFacts.privateEndpoint &&
            (new Set(anyFacts.regions).size === 1 || anyFacts.regionalizedPrivateEndpoints) &&
            anyFacts.driverMeetsMinimum,
        );
      }),
    );
  });

  it("rejects an invalid version and an empty list of regions", () => {
    assert.equal(
      thrownCode(() => unmetConditions({ version: "new" })),
      "invalid-facts",
    );
    assert.equal(
      thrownCode(() => unmetConditions({ regions: [] })),
      "invalid-facts",
    );
  });
});
