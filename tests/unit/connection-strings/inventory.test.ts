import assert from "node:assert/strict";
import { inventory } from "../../../connection-strings/src/inventory";

describe("inventory", () => {
  it("lists the existing strings by network, with the IDs and regions of private endpoints", () => {
    const strings = {
      standard: "db://a",
      standardSrv: "db+srv://a",
      privateSrv: "db+srv://b",
      privateEndpoints: [
        { endpointIds: ["vpce-1"], region: "US_EAST_1" },
        {
          endpointIds: ["vpce-2", "vpce-3"],
          region: "EU_WEST_1",
          regions: ["EU_WEST_1", "US_EAST_1"],
        },
        { endpointIds: [] },
      ],
    };
    assert.equal(
      inventory(strings),
      "It has strings for: internet (srv, hosts); peering (srv); privateEndpoint (vpce-1 in US_EAST_1, vpce-2+vpce-3 in EU_WEST_1 and US_EAST_1, (no ID)).",
    );
  });

  it("reports that a cluster has no strings", () => {
    assert.equal(inventory({ privateEndpoints: [] }), "It has no connection strings.");
  });
});
