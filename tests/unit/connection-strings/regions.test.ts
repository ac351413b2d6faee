import assert from "node:assert/strict";
import {
  type ServicePrivateEndpoint,
  clusterStrings,
  select,
} from "../../../connection-strings/src";

const host = (index: number, region: string) => `pl-${index}-${region}.ab1cd.db.example`;
const record = (index: number, ...regions: string[]): ServicePrivateEndpoint => ({
  connectionString: `db://${host(index, "us-east-1")}:1024`,
  srvConnectionString: `db+srv://orders-${host(index, "us-east-1")}`,
  endpoints: regions.map((region, at) => ({ endpointId: `vpce-${index}-${at}`, region })),
});
const of = (...privateEndpoint: ServicePrivateEndpoint[]) => clusterStrings({ privateEndpoint });

function chosen(
  strings: ReturnType<typeof clusterStrings>,
  choice: { region?: string; endpointId?: string },
): string {
  const selection = select(strings, { network: { kind: "privateEndpoint", ...choice } });
  switch (selection.kind) {
    case "selected":
      return selection.connectionString;
    case "missing":
      return `${selection.missing}: ${selection.why}`;
    case "unclear":
      return selection.problem;
  }
}

describe("regions of private endpoints", () => {
  describe("in clusterStrings", () => {
    it("are all given where endpoints in several regions share their strings", () => {
      const [endpoint] = of(record(0, "US_EAST_1", "EU_WEST_1", "US_EAST_1")).privateEndpoints;
      assert.equal(endpoint?.region, "US_EAST_1");
      assert.deepEqual(endpoint.regions, ["EU_WEST_1", "US_EAST_1"]);
    });

    it("are in the same order, whatever their order in the response", () => {
      const regions = (...given: string[]) => of(record(0, ...given)).privateEndpoints[0]?.regions;
      assert.deepEqual(regions("US_EAST_1", "EU_WEST_1"), regions("EU_WEST_1", "US_EAST_1"));
    });

    it("add no field where the endpoints are in one region, in any spelling", () => {
      for (const regions of [["US_EAST_1"], ["US_EAST_1", "us-east-1"], []]) {
        const [endpoint = {}] = of(record(0, ...regions)).privateEndpoints;
        assert.equal("regions" in endpoint, false);
      }
    });
  });

  describe("in select", () => {
    const shared = of(record(0, "US_EAST_1", "EU_WEST_1"), record(1, "AP_SOUTH_1"));

    it("all lead to the endpoint", () => {
      for (const region of ["us-east-1", "EU_WEST_1", "euwest1", "Eu West 1"]) {
        assert.equal(chosen(shared, { region }), `db+srv://orders-${host(0, "us-east-1")}`);
      }
    });

    it("are equal in the three spellings of one place", () => {
      for (const given of ["eastus2", "EAST_US_2", "east-us-2"]) {
        const strings = of(record(0, given), record(1, "WEST_US_2"));
        for (const region of ["eastus2", "EAST_US_2", "east-us-2", "East US 2"]) {
          assert.equal(chosen(strings, { region }), `db+srv://orders-${host(0, "us-east-1")}`);
        }
      }
    });

    it("are not equal where names differ, such as eastus2 and us-east-2", () => {
      assert.match(
        chosen(of(record(0, "eastus2")), { region: "us-east-2" }),
        /No private endpoint/,
      );
    });

    it("match the name in the host names where the record has another name for the place", () => {
      const azure: ServicePrivateEndpoint = {
        connectionString: `db://${host(0, "eastus2")}:1024`,
        srvConnectionString: "db+srv://orders-pl-0.ab1cd.db.example",
        endpoints: [{ endpointId: "pe-0", region: "US_EAST_2" }],
      };
      const strings = of(azure, record(1, "WEST_EUROPE"));
      for (const region of ["US_EAST_2", "us-east-2", "eastus2"]) {
        assert.equal(chosen(strings, { region }), azure.srvConnectionString);
      }
      const another = { ...azure, endpoints: [{ endpointId: "pe-2", region: "US_EAST_2" }] };
      assert.match(chosen(of(azure, another), { region: "eastus2" }), /^several private endpoints/);
    });

    it("are never chosen from where several endpoints match, even with one exact spelling", () => {
      const strings = of(record(0, "us-east-1"), record(1, "us-east1"));
      assert.match(
        chosen(strings, { region: "us-east-1" }),
        /^several private endpoints match; select one with network\.endpointId: vpce-0-0 in us-east-1, vpce-1-0 in us-east1\.$/,
      );
    });

    it("are unclear where a shared endpoint and another are in the region", () => {
      const strings = of(record(0, "US_EAST_1", "EU_WEST_1"), record(1, "eu-west-1"));
      assert.match(
        chosen(strings, { region: "EU_WEST_1" }),
        /select one with network\.endpointId: /,
      );
      assert.equal(
        chosen(strings, { region: "EU_WEST_1", endpointId: "vpce-1-0" }),
        `db+srv://orders-${host(1, "us-east-1")}`,
      );
    });

    it("are all listed where several endpoints fit, and in inventories", () => {
      const all = /vpce-0-0\+vpce-0-1 in US_EAST_1 and EU_WEST_1, vpce-1-0 in AP_SOUTH_1/;
      assert.match(chosen(shared, {}), all);
      assert.match(chosen(shared, {}), /select one with network\.endpointId or network\.region/);
      assert.match(chosen(shared, { region: "sa-east-1" }), all);
    });

    it("are no suggestion where all endpoints are in one region, in any spelling", () => {
      const strings = of(record(0, "US_EAST_1"), record(1, "us-east-1"));
      assert.match(chosen(strings, {}), /select one with network\.endpointId: /);
    });
  });
});
