// Optimized strings are recognized by lb in their host name, whichever field they are in (2.6).
import assert from "node:assert/strict";
import {
  type ServiceStrings,
  type Wanted,
  clusterStrings,
  select,
} from "../../../connection-strings/src";

const plain = "db+srv://orders-pl-0-us-east-1.ab1cd.db.example";
const optimized = "db+srv://orders-pl-0-lb.ab1cd.db.example";
const endpoints = [{ endpointId: "vpce-1", region: "US_EAST_1" }];

/** Returns the string selected for the endpoint, or the message if there is none. */
function selected(record: ServiceStrings, wanted: Wanted): string {
  const network = { kind: "privateEndpoint", endpointId: "vpce-1" } as const;
  const selection = select(clusterStrings(record), { network, ...wanted });
  switch (selection.kind) {
    case "selected":
      return `${selection.connectionStringKind} ${selection.connectionString}`;
    case "missing":
      return `${selection.property}: ${selection.missing}. ${selection.why}`;
    case "unclear":
      return selection.problem;
  }
}

describe("select for optimized strings (2.6)", () => {
  const records: readonly [where: string, record: ServiceStrings][] = [
    [
      "the field of the plain string",
      { privateEndpoint: [{ srvConnectionString: optimized, endpoints }] },
    ],
    [
      "its own field",
      { privateEndpoint: [{ srvShardOptimizedConnectionString: optimized, endpoints }] },
    ],
    ["an undocumented field", { privateEndpoint: [{ loadBalanced: optimized, endpoints }] }],
    ["the deprecated map", { awsPrivateLinkSrv: { "vpce-1": optimized } }],
  ];
  for (const [where, record] of records) {
    it(`selects an optimized string in ${where} by default and with true, never with false`, () => {
      const expected = `privateEndpointOptimizedSrv ${optimized}`;
      assert.equal(selected(record, { optimized: true }), expected);
      assert.equal(selected(record, {}), expected);
      assert.match(
        selected(record, { optimized: false }),
        /^optimized: private endpoint string \(SRV\)\. .*only SRV string .* is the optimized one.*omit optimized/,
      );
    });
  }

  it("selects the plain string with optimized: false, whichever field it is in", () => {
    const record = { srvConnectionString: optimized, srvShardOptimizedConnectionString: plain };
    assert.equal(
      selected({ privateEndpoint: [{ ...record, endpoints }] }, { optimized: false }),
      `privateEndpointSrv ${plain}`,
    );
  });

  it("reports a missing optimized string if its field contains the plain one", () => {
    const record = { srvShardOptimizedConnectionString: plain, endpoints };
    assert.match(
      selected({ privateEndpoint: [record] }, { optimized: true }),
      /^optimized: optimized private endpoint string/,
    );
  });

  it("recognizes optimized strings in a state recorded by an earlier version", () => {
    const recorded = { privateEndpoints: [{ endpointIds: ["vpce-1"], srv: optimized }] };
    const network = { kind: "privateEndpoint" } as const;
    assert.equal(select(recorded, { network, optimized: false }).kind, "missing");
    assert.deepEqual(select(recorded, { network, optimized: true }), {
      kind: "selected",
      connectionString: optimized,
      connectionStringKind: "privateEndpointOptimizedSrv",
    });
  });

  it("does not select a host list with lb in its names with optimized: false", () => {
    const connectionString = "db://orders-pl-0-lb.ab1cd.db.example:1024";
    const record = { privateEndpoint: [{ connectionString, endpoints }] };
    assert.match(
      selected(record, { form: "hosts", optimized: false }),
      /^optimized: .* The only host list that the service returns is the optimized one/,
    );
    assert.equal(selected(record, { form: "hosts" }), `privateEndpoint ${connectionString}`);
  });

  it("does not mistake a cluster whose name ends in -lb for an optimized string", () => {
    const standardSrv = "db+srv://orders-lb.ab1cd.db.example";
    const network = { kind: "internet" } as const;
    assert.equal(
      selected({ standardSrv }, { network, optimized: false }),
      `standardSrv ${standardSrv}`,
    );
  });
});
