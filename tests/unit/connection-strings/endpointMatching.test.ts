import assert from "node:assert/strict";
import {
  type ServicePrivateEndpoint,
  type ClusterStrings,
  select,
} from "../../../connection-strings/src";
import { host, record, stringsOf } from "./privateEndpointRecords";

/** Returns the selected string, or the message if there is none. */
function selected(
  strings: ClusterStrings,
  criteria: { region?: string; endpointId?: string },
): string {
  const selection = select(strings, { network: { kind: "privateEndpoint", ...criteria } });
  switch (selection.kind) {
    case "selected":
      return selection.connectionString;
    case "missing":
      return `${selection.missing}: ${selection.why}`;
    case "unclear":
      return selection.problem;
  }
}

describe("select for private endpoints by ID and region", () => {
  const shared = stringsOf(record(0, "US_EAST_1", "EU_WEST_1"), record(1, "AP_SOUTH_1"));

  it("selects a shared endpoint by any of its regions in any spelling", () => {
    for (const region of ["us-east-1", "EU_WEST_1", "euwest1", "Eu West 1"]) {
      assert.equal(selected(shared, { region }), `db+srv://orders-${host(0, "us-east-1")}`);
    }
  });

  it("matches three spellings of one region", () => {
    for (const spelling of ["eastus2", "EAST_US_2", "east-us-2"]) {
      const strings = stringsOf(record(0, spelling), record(1, "WEST_US_2"));
      for (const region of ["eastus2", "EAST_US_2", "east-us-2", "East US 2"]) {
        assert.equal(selected(strings, { region }), `db+srv://orders-${host(0, "us-east-1")}`);
      }
    }
  });

  it("does not match different names of one region, such as eastus2 and us-east-2", () => {
    assert.match(
      selected(stringsOf(record(0, "eastus2")), { region: "us-east-2" }),
      /No private endpoint/,
    );
  });

  it("matches the region in the host names if the record names the region differently", () => {
    const differentlyNamed: ServicePrivateEndpoint = {
      connectionString: `db://${host(0, "eastus2")}:1024`,
      srvConnectionString: "db+srv://orders-pl-0.ab1cd.db.example",
      endpoints: [{ endpointId: "pe-0", region: "US_EAST_2" }],
    };
    const strings = stringsOf(differentlyNamed, record(1, "WEST_EUROPE"));
    for (const region of ["US_EAST_2", "us-east-2", "eastus2"]) {
      assert.equal(selected(strings, { region }), differentlyNamed.srvConnectionString);
    }
    const another = {
      ...differentlyNamed,
      endpoints: [{ endpointId: "pe-2", region: "US_EAST_2" }],
    };
    assert.match(
      selected(stringsOf(differentlyNamed, another), { region: "eastus2" }),
      /^several private endpoints/,
    );
  });

  it("rejects several matches, even if one has exactly the requested spelling", () => {
    const strings = stringsOf(record(0, "us-east-1"), record(1, "us-east1"));
    assert.match(
      selected(strings, { region: "us-east-1" }),
      /^several private endpoints match; select one with network\.endpointId: vpce-0-0 in us-east-1, vpce-1-0 in us-east1\.$/,
    );
  });

  it("rejects a region that a shared endpoint has in common with another endpoint", () => {
    const strings = stringsOf(record(0, "US_EAST_1", "EU_WEST_1"), record(1, "eu-west-1"));
    assert.match(
      selected(strings, { region: "EU_WEST_1" }),
      /select one with network\.endpointId: /,
    );
    assert.equal(
      selected(strings, { region: "EU_WEST_1", endpointId: "vpce-1-0" }),
      `db+srv://orders-${host(1, "us-east-1")}`,
    );
  });

  it("lists all regions of each endpoint in messages", () => {
    const all = /vpce-0-0\+vpce-0-1 in US_EAST_1 and EU_WEST_1, vpce-1-0 in AP_SOUTH_1/;
    assert.match(selected(shared, {}), all);
    assert.match(selected(shared, {}), /select one with network\.endpointId or network\.region/);
    assert.match(selected(shared, { region: "sa-east-1" }), all);
  });

  it("does not suggest a region if all endpoints are in the same one", () => {
    const strings = stringsOf(record(0, "US_EAST_1"), record(1, "us-east-1"));
    assert.match(selected(strings, {}), /select one with network\.endpointId: /);
  });
});
