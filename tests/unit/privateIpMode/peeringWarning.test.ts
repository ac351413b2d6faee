import assert from "node:assert/strict";
import { mock } from "node:test";
import { PeeringWarning } from "../../../provider/src/privateIpMode/peeringWarning";

describe("the warning of a disable", () => {
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
  ) => ({
    projectId: "p1",
    clusterName: "orders",
    recommendedKind,
    ...peered.connectionStrings,
  });

  it("names the clusters that have peering-private strings, once per process", async () => {
    warning.disabling("p1", clusters);
    warning.disabling("p1", clusters);
    await warning.flush();
    await warning.flush();
    assert.equal(logged.length, 1);
    assert.match(
      logged[0] ?? "",
      /^warning: disabling .* project p1: .* strings of billing, orders\.$/,
    );
  });

  it("logs nothing for a project without peering", async () => {
    warning.lookedUp({ ...lookup("standardSrv"), privateSrv: undefined });
    warning.disabling("p1", [{ name: "sessions" }]);
    await warning.flush();
    assert.deepEqual(logged, []);
  });

  for (const order of ["before", "after"]) {
    it(`names a lookup of another string that comes ${order} the disable, in the same message`, async () => {
      if (order === "before") warning.lookedUp(lookup("standardSrv"));
      warning.disabling("p1", clusters);
      if (order === "after") warning.lookedUp(lookup("standardSrv"));
      await warning.flush();
      assert.equal(logged.length, 1);
      assert.match(
        logged[0] ?? "",
        /return other strings: orders \(standardSrv\)\. .*\{ kind: "peering" \}/,
      );
    });
  }

  it("is logged once a second has passed without further resources", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      warning.disabling("p1", clusters);
      mock.timers.tick(900);
      warning.lookedUp(lookup("standardSrv"));
      mock.timers.tick(900);
      assert.equal(logged.length, 0);
      mock.timers.tick(100);
      assert.equal(logged.length, 1);
    } finally {
      mock.timers.reset();
    }
  });

  it("ignores lookups unless the mode of their own project is disabled", async () => {
    warning.lookedUp(lookup("standard"));
    warning.disabling("p2", clusters);
    await warning.flush();
    assert.doesNotMatch(logged.join(), /return other strings/);
  });

  it("ignores peering-private strings and those of private endpoints", async () => {
    warning.lookedUp(lookup("privateSrv"));
    warning.lookedUp(lookup("privateEndpoint"));
    warning.disabling("p1", clusters);
    await warning.flush();
    assert.doesNotMatch(logged.join(), /return other strings/);
  });
});
