import assert from "node:assert/strict";
import { distinctRegions, isSameRegion, regionsOf } from "../../../connection-strings/src/regions";

describe("isSameRegion", () => {
  it("ignores case, hyphens, underscores and spaces", () => {
    for (const spelling of ["us-east-2", "US_EAST_2", "useast2", "US East 2"]) {
      assert.equal(isSameRegion(spelling, "us-east-2"), true, spelling);
    }
  });

  it("ignores the provider at the end", () => {
    assert.equal(isSameRegion("us-east1-gcp", "US_EAST1"), true);
    assert.equal(isSameRegion("eastus2-azure", "eastus2"), true);
    assert.equal(isSameRegion("us-east1-gcp", "us-east2-gcp"), false);
  });

  it("distinguishes different names, even for the same place", () => {
    assert.equal(isSameRegion("eastus2", "us-east-2"), false);
    assert.equal(isSameRegion("us-east-1", "us-east-2"), false);
  });
});

describe("distinctRegions", () => {
  it("keeps the first spelling of each region, in the original order", () => {
    const regions = ["US_EAST_1", "eu-west-1", "us-east-1", "EU_WEST_1"];
    assert.deepEqual(distinctRegions(regions), ["US_EAST_1", "eu-west-1"]);
  });
});

describe("regionsOf", () => {
  it("lists each region once, starting with region", () => {
    const endpoint = { region: "US_EAST_1", regions: ["EU_WEST_1", "US_EAST_1"] };
    assert.deepEqual(regionsOf(endpoint), ["US_EAST_1", "EU_WEST_1"]);
  });

  it("returns an empty list for an endpoint without regions", () => {
    assert.deepEqual(regionsOf({}), []);
  });
});
