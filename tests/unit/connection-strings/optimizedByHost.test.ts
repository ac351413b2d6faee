// Optimized strings are known by `lb` in their host name, whatever field they arrive in (2.6).
import assert from "node:assert/strict";
import {
  type ServicePrivateEndpoint,
  type ServiceStrings,
  type Wanted,
  clusterStrings,
  select,
} from "../../../connection-strings/src";

const plain = "db+srv://orders-pl-0-us-east-1.ab1cd.db.example";
const optimized = "db+srv://orders-pl-0-lb.ab1cd.db.example";
const hosts = "db://pl-0-us-east-1.ab1cd.db.example:1024";
const endpoints = [{ endpointId: "vpce-1", region: "US_EAST_1" }];

/** The only endpoint of a cluster, without its index, region and ids. */
function stringsOf(given: ServiceStrings): object {
  const [endpoint, ...more] = clusterStrings(given).privateEndpoints;
  assert.ok(endpoint !== undefined && more.length === 0);
  const { index, region, endpointIds, ...strings } = endpoint;
  assert.deepEqual(endpointIds, ["vpce-1"]);
  return strings;
}
const ofRecord = (record: ServicePrivateEndpoint) =>
  stringsOf({ privateEndpoint: [{ ...record, endpoints }] });

/** What is selected for the endpoint: the string, or what is missing and why. */
function chosen(given: ServiceStrings, wanted: Wanted): string {
  const network = { kind: "privateEndpoint", endpointId: "vpce-1" } as const;
  const selection = select(clusterStrings(given), { network, ...wanted });
  switch (selection.kind) {
    case "selected":
      return `${selection.connectionStringKind} ${selection.connectionString}`;
    case "missing":
      return `${selection.property}: ${selection.missing}. ${selection.why}`;
    case "unclear":
      return selection.problem;
  }
}

describe("clusterStrings, for optimized strings (2.6)", () => {
  for (const [where, record, expected] of [
    [
      "in the field of the plain one",
      { srvConnectionString: optimized },
      { optimizedSrv: optimized },
    ],
    [
      "in the field of the plain one, with the plain one in the field of the optimized one",
      { srvConnectionString: optimized, srvShardOptimizedConnectionString: plain },
      { optimizedSrv: optimized, srv: plain },
    ],
    [
      "in both fields",
      { srvConnectionString: optimized, srvShardOptimizedConnectionString: optimized },
      { optimizedSrv: optimized },
    ],
    [
      "in the field of the host list",
      { connectionString: optimized, srvConnectionString: plain },
      { optimizedSrv: optimized, srv: plain },
    ],
    [
      "in a field that the document does not show",
      { connectionString: hosts, srvConnectionString: plain, srvLoadBalanced: optimized },
      { hosts, srv: plain, optimizedSrv: optimized },
    ],
    [
      "in the field of the plain one, with the plain one in a field that the document does not show",
      { srvConnectionString: optimized, srvLegacy: plain },
      { optimizedSrv: optimized, srv: plain },
    ],
    [
      "in capitals, with a trailing dot and options",
      { srvConnectionString: "DB+SRV://Orders-PL-0-LB.ab1cd.db.example./?tls=true" },
      { optimizedSrv: "DB+SRV://Orders-PL-0-LB.ab1cd.db.example./?tls=true" },
    ],
  ] as const) {
    it(`finds one ${where}`, () => {
      assert.deepEqual(ofRecord(record), expected);
    });
  }

  it("takes a plain string in the field of the optimized one for the plain one", () => {
    assert.deepEqual(ofRecord({ srvShardOptimizedConnectionString: plain }), { srv: plain });
  });

  it("keeps a string of no known form in the field that it arrived in", () => {
    const [one, other] = ["db+srv://one", "db+srv://other"];
    assert.deepEqual(
      ofRecord({ srvConnectionString: one, srvShardOptimizedConnectionString: other }),
      { srv: one, optimizedSrv: other },
    );
  });

  it("finds one in the deprecated map", () => {
    assert.deepEqual(stringsOf({ awsPrivateLinkSrv: { "vpce-1": optimized } }), {
      optimizedSrv: optimized,
    });
    assert.deepEqual(
      stringsOf({
        privateEndpoint: [{ connectionString: hosts, srvConnectionString: plain, endpoints }],
        awsPrivateLinkSrv: { "vpce-1": optimized },
      }),
      { hosts, srv: plain, optimizedSrv: optimized },
    );
  });

  it("finds the plain one in the deprecated map", () => {
    assert.deepEqual(
      stringsOf({
        privateEndpoint: [{ srvConnectionString: optimized, endpoints }],
        awsPrivateLinkSrv: { "vpce-1": plain },
      }),
      { srv: plain, optimizedSrv: optimized },
    );
  });

  it("learns the id of a record by an optimized string that is in the deprecated map, too", () => {
    assert.deepEqual(
      stringsOf({
        privateEndpoint: [
          { srvConnectionString: plain, srvShardOptimizedConnectionString: optimized },
        ],
        awsPrivateLinkSrv: { "vpce-1": optimized },
      }),
      { srv: plain, optimizedSrv: optimized },
    );
  });

  it("keeps second distinct strings under the names that they arrived under", () => {
    const second = "db+srv://orders-pl-1-lb.ab1cd.db.example";
    const secondPlain = "db+srv://orders-pl-1-us-east-1.ab1cd.db.example";
    assert.deepEqual(
      stringsOf({
        privateEndpoint: [
          { srvConnectionString: second, srvShardOptimizedConnectionString: optimized, endpoints },
        ],
        awsPrivateLinkSrv: { "vpce-1": plain },
      }),
      { srv: plain, optimizedSrv: optimized, others: { srvConnectionString: second } },
    );
    assert.deepEqual(
      stringsOf({
        privateEndpoint: [
          { srvConnectionString: plain, srvShardOptimizedConnectionString: secondPlain, endpoints },
        ],
        awsPrivateLink: { "vpce-1": hosts },
        awsPrivateLinkSrv: { "vpce-1": second },
      }),
      {
        hosts,
        srv: plain,
        optimizedSrv: second,
        others: { srvShardOptimizedConnectionString: secondPlain },
      },
    );
  });

  it("keeps further strings of the deprecated maps by endpoint id", () => {
    const shared = [{ endpointId: "vpce-1" }, { endpointId: "vpce-2" }];
    const map = { "vpce-1": "db+srv://one.b.c.d", "vpce-2": "db+srv://two.b.c.d" };
    const [endpoint] = clusterStrings({
      privateEndpoint: [{ srvConnectionString: plain, endpoints: shared }],
      awsPrivateLinkSrv: map,
    }).privateEndpoints;
    assert.equal(endpoint?.srv, plain);
    assert.deepEqual(endpoint.others, { awsPrivateLinkSrv: map });
  });
});

describe("select, for optimized strings (2.6)", () => {
  const places: readonly [where: string, given: ServiceStrings][] = [
    [
      "the field of the plain one",
      { privateEndpoint: [{ srvConnectionString: optimized, endpoints }] },
    ],
    [
      "its own field",
      { privateEndpoint: [{ srvShardOptimizedConnectionString: optimized, endpoints }] },
    ],
    ["another field", { privateEndpoint: [{ loadBalanced: optimized, endpoints }] }],
    ["the deprecated map", { awsPrivateLinkSrv: { "vpce-1": optimized } }],
  ];
  for (const [where, given] of places) {
    it(`finds one in ${where} with optimized: true and by default, and never gives it with false`, () => {
      const found = `privateEndpointOptimizedSrv ${optimized}`;
      assert.equal(chosen(given, { optimized: true }), found);
      assert.equal(chosen(given, {}), found);
      assert.match(
        chosen(given, { optimized: false }),
        /^optimized: private endpoint string \(SRV\)\. .*only SRV string .* is the optimized one.*omit optimized/,
      );
    });
  }

  it("gives the plain one with optimized: false, wherever it arrived", () => {
    const record = { srvConnectionString: optimized, srvShardOptimizedConnectionString: plain };
    assert.equal(
      chosen({ privateEndpoint: [{ ...record, endpoints }] }, { optimized: false }),
      `privateEndpointSrv ${plain}`,
    );
  });

  it("reports no optimized string where the field of one holds the plain one", () => {
    const record = { srvShardOptimizedConnectionString: plain, endpoints };
    assert.match(
      chosen({ privateEndpoint: [record] }, { optimized: true }),
      /^optimized: optimized private endpoint string/,
    );
  });

  it("knows optimized strings by their host in strings recorded by an earlier version", () => {
    const recorded = { privateEndpoints: [{ endpointIds: ["vpce-1"], srv: optimized }] };
    const network = { kind: "privateEndpoint" } as const;
    assert.equal(select(recorded, { network, optimized: false }).kind, "missing");
    assert.deepEqual(select(recorded, { network, optimized: true }), {
      kind: "selected",
      connectionString: optimized,
      connectionStringKind: "privateEndpointOptimizedSrv",
    });
  });

  it("gives no host list with lb in its names with optimized: false", () => {
    const connectionString = "db://orders-pl-0-lb.ab1cd.db.example:1024";
    const given = { privateEndpoint: [{ connectionString, endpoints }] };
    assert.match(chosen(given, { form: "hosts", optimized: false }), /^optimized: /);
    assert.equal(chosen(given, { form: "hosts" }), `privateEndpoint ${connectionString}`);
  });

  it("does not take a cluster whose name ends in -lb for optimized", () => {
    const standardSrv = "db+srv://orders-lb.ab1cd.db.example";
    const network = { kind: "internet" } as const;
    assert.equal(
      chosen({ standardSrv }, { network, optimized: false }),
      `standardSrv ${standardSrv}`,
    );
  });
});
