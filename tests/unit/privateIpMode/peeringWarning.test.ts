import assert from "node:assert/strict";
import { PeeringWarning } from "../../../provider/src/privateIpMode/peeringWarning";

describe("the warning about disabling", () => {
  let logged: string[];
  let warning: PeeringWarning;

  beforeEach(() => {
    logged = [];
    warning = new PeeringWarning((severity, message) => {
      logged.push(`${severity}: ${message}`);
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
    clusterName = "orders",
  ) => ({ projectId: "p1", clusterName, recommendedKind, ...peered.connectionStrings });

  it("names the clusters that have peering-private strings, once per process", async () => {
    await warning.recordDisable("p1", clusters);
    await warning.recordDisable("p1", clusters);
    assert.equal(logged.length, 1);
    assert.match(
      logged[0] ?? "",
      /^warning: disabling .* project p1: .* strings of billing, orders\.$/,
    );
  });

  it("is not logged for a project without peering", async () => {
    await warning.recordLookup({ ...lookup("standardSrv"), privateSrv: undefined });
    await warning.recordDisable("p1", [{ name: "sessions" }]);
    assert.deepEqual(logged, []);
  });

  it("names each earlier lookup of an Internet string once", async () => {
    await warning.recordLookup(lookup("standardSrv"));
    await warning.recordLookup(lookup("standard", "billing"));
    await warning.recordLookup(lookup("standardSrv"));
    await warning.recordDisable("p1", clusters);
    assert.equal(logged.length, 1);
    assert.match(
      logged[0] ?? "",
      /return other strings: billing \(standard\), orders \(standardSrv\)\. .*\{ kind: "peering" \}/,
    );
  });

  it("is logged once for each later lookup of an Internet string", async () => {
    await warning.recordLookup(lookup("standardSrv"));
    await warning.recordDisable("p1", clusters);
    await warning.recordLookup(lookup("standardSrv"));
    await warning.recordLookup(lookup("standardSrv", "billing"));
    await warning.recordLookup(lookup("standardSrv", "billing"));
    assert.equal(logged.length, 2);
    assert.match(
      logged[1] ?? "",
      /^warning: disabling .* project p1: .* return other strings: billing \(standardSrv\)\./,
    );
  });

  it("ignores lookups in other projects, of peering-private strings and of private endpoints", async () => {
    await warning.recordLookup({ ...lookup("standard"), projectId: "p2" });
    await warning.recordLookup(lookup("privateSrv"));
    await warning.recordDisable("p1", clusters);
    await warning.recordLookup(lookup("privateEndpoint"));
    await warning.recordLookup({ ...lookup("standard", "billing"), projectId: "p2" });
    assert.equal(logged.length, 1);
    assert.doesNotMatch(logged.join(), /return other strings/);
  });
});
