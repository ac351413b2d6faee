import assert from "node:assert/strict";
import { type ClusterStrings, type Wanted, select } from "../../../provider/src/connectionStrings";

const strings: ClusterStrings = {
  standard: "db://standard-hosts",
  standardSrv: "db+srv://standard",
  private: "db://private-hosts",
  privateSrv: "db+srv://private",
  privateEndpoints: [
    {
      region: "US_EAST_1",
      endpointIds: ["vpce-1"],
      hosts: "db://east-hosts",
      srv: "db+srv://east",
      optimizedSrv: "db+srv://east-lb",
    },
    {
      region: "eu-west-1",
      endpointIds: ["vpce-2"],
      hosts: "db://west-hosts",
      srv: "db+srv://west",
    },
  ],
};

const none: ClusterStrings = { privateEndpoints: [] };

function chosen(wanted: Partial<Wanted>, from = strings): [string, string] {
  const selection = select(from, { network: { kind: "internet" }, form: "srv", ...wanted });
  return selection.kind === "selected"
    ? [selection.connectionString, selection.connectionStringKind]
    : [selection.missing, selection.why];
}

describe("select", () => {
  it("gives the standard string for the Internet", () => {
    assert.deepEqual(chosen({}), ["db+srv://standard", "standardSrv"]);
    assert.deepEqual(chosen({ form: "hosts" }), ["db://standard-hosts", "standard"]);
  });

  it("gives the peering-private string for a peered network", () => {
    const network = { kind: "peering" } as const;
    assert.deepEqual(chosen({ network }), ["db+srv://private", "privateSrv"]);
    assert.deepEqual(chosen({ network, form: "hosts" }), ["db://private-hosts", "private"]);
  });

  it("gives the string of a private endpoint by id or by region, however the region is written", () => {
    const by = (choice: { endpointId?: string; region?: string }) =>
      chosen({ network: { kind: "privateEndpoint", ...choice } });
    assert.deepEqual(by({ endpointId: "vpce-2" }), ["db+srv://west", "privateEndpointSrv"]);
    assert.deepEqual(by({ region: "EU_WEST_1" }), ["db+srv://west", "privateEndpointSrv"]);
    assert.equal(by({ region: "us-east-1" })[0], "db+srv://east-lb");
  });

  it("takes the optimized SRV where there is one, unless told otherwise", () => {
    const network = { kind: "privateEndpoint", endpointId: "vpce-1" } as const;
    assert.equal(chosen({ network })[1], "privateEndpointOptimizedSrv");
    assert.deepEqual(chosen({ network, optimized: false }), [
      "db+srv://east",
      "privateEndpointSrv",
    ]);
    assert.deepEqual(chosen({ network, form: "hosts" }), ["db://east-hosts", "privateEndpoint"]);
  });

  it("says that there is no optimized SRV where only that will do", () => {
    const network = { kind: "privateEndpoint", endpointId: "vpce-2" } as const;
    assert.match(chosen({ network, optimized: true })[0], /optimized private endpoint string/);
  });

  it("asks which endpoint where there are several", () => {
    const [missing, why] = chosen({ network: { kind: "privateEndpoint" } });
    assert.equal(missing, "choice of a private endpoint");
    assert.match(why, /vpce-1 in US_EAST_1, vpce-2 in eu-west-1/);
  });

  it("says what is missing and what there is", () => {
    assert.match(chosen({ network: { kind: "peering" } }, none)[1], /only when network peering/);
    const network = { kind: "privateEndpoint", region: "ap-south-1" } as const;
    assert.match(chosen({ network })[0], /for region ap-south-1/);
    assert.match(chosen({ network })[1], /vpce-1 in US_EAST_1, vpce-2 in eu-west-1/);
    assert.match(chosen({ network }, none)[1], /no private endpoint/);
  });
});
