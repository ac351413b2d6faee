import assert from "node:assert/strict";
import { peeringWarning } from "../../../provider/src/privateIpMode/peeringWarning";

describe("the warning about disabling", () => {
  const peered = { connectionStrings: { privateSrv: "db+srv://orders-pri.h.example.net" } };

  it("names the clusters that have peering-private strings", () => {
    const clusters = [
      { name: "sessions", connectionStrings: undefined },
      { name: "orders", ...peered },
      { name: "billing", ...peered },
    ];
    assert.match(
      peeringWarning("p1", clusters) ?? "",
      /^disabling .* project p1: .* strings of billing, orders\.$/,
    );
  });

  it("is omitted for a project without peering", () => {
    assert.equal(
      peeringWarning("p1", [{ name: "sessions", connectionStrings: undefined }]),
      undefined,
    );
  });
});
