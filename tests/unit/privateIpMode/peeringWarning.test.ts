import assert from "node:assert/strict";
import { peeringWarning } from "../../../provider/src/privateIpMode/peeringWarning";

describe("the warning of a disable", () => {
  let said: string[];
  let warning: ReturnType<typeof peeringWarning>;

  beforeEach(() => {
    said = [];
    warning = peeringWarning((severity, message) => {
      said.push(`${severity}: ${message}`);
      return Promise.resolve();
    });
  });

  const peered = { connectionStrings: { privateSrv: "db+srv://orders-pri.h.example.net" } };
  const clusters = [
    { name: "sessions" },
    { name: "orders", ...peered },
    { name: "billing", ...peered },
  ];
  const lookup = (
    recommendedKind: "standard" | "standardSrv" | "privateSrv" | "privateEndpoint",
  ) => ({
    projectId: "p1",
    clusterName: "orders",
    recommendedKind,
    ...peered.connectionStrings,
  });
  const lookups = () => said.filter((message) => message.includes("gives out"));

  it("names the clusters that have peering-private strings, once", async () => {
    await warning.disabling("p1", clusters);
    await warning.disabling("p1", clusters);
    assert.equal(said.length, 1);
    assert.match(
      said[0] ?? "",
      /^warning: disabling .* project p1: .* strings of billing, orders$/,
    );
  });

  it("says nothing of a project without peering", async () => {
    await warning.lookedUp({ ...lookup("standardSrv"), privateSrv: undefined });
    await warning.disabling("p1", [{ name: "sessions" }]);
    assert.deepEqual(said, []);
  });

  for (const order of ["before", "after"]) {
    it(`names a lookup of another string that comes ${order} the disable`, async () => {
      if (order === "before") await warning.lookedUp(lookup("standardSrv"));
      await warning.disabling("p1", clusters);
      if (order === "after") await warning.lookedUp(lookup("standardSrv"));
      assert.equal(lookups().length, 1);
      assert.match(lookups()[0] ?? "", /for orders \(standardSrv\)\. .*\{ kind: "peering" \}/);
    });
  }

  it("is silent on lookups while nothing is disabled, or another project is", async () => {
    await warning.lookedUp(lookup("standard"));
    await warning.disabling("p2", clusters);
    assert.deepEqual(lookups(), []);
  });

  it("is silent on peering-private strings and on those of private endpoints", async () => {
    await warning.lookedUp(lookup("privateSrv"));
    await warning.lookedUp(lookup("privateEndpoint"));
    await warning.disabling("p1", clusters);
    assert.deepEqual(lookups(), []);
  });
});
