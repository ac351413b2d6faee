// Optimized strings are recognized by lb in their host name, whichever field they are in (2.6).
import assert from "node:assert/strict";
import {
  type ServicePrivateEndpoint,
  type ServiceStrings,
  clusterStrings,
} from "../../../connection-strings/src";

const plain = "db+srv://orders-pl-0-us-east-1.ab1cd.db.example";
const optimized = "db+srv://orders-pl-0-lb.ab1cd.db.example";
const hosts = "db://pl-0-us-east-1.ab1cd.db.example:1024";
const endpoints = [{ endpointId: "vpce-1", region: "US_EAST_1" }];

/** Returns the strings of the only endpoint of a cluster, without its index, region and IDs. */
function stringsOf(strings: ServiceStrings): object {
  const [endpoint, ...more] = clusterStrings(strings).privateEndpoints;
  assert.ok(endpoint !== undefined && more.length === 0);
  const { index, region, endpointIds, ...endpointStrings } = endpoint;
  assert.deepEqual(endpointIds, ["vpce-1"]);
  return endpointStrings;
}
const stringsOfRecord = (record: ServicePrivateEndpoint) =>
  stringsOf({ privateEndpoint: [{ ...record, endpoints }] });

describe("clusterStrings for optimized strings (2.6)", () => {
  for (const [where, record, expected] of [
    [
      "in the field of the plain string",
      { srvConnectionString: optimized },
      { optimizedSrv: optimized },
    ],
    [
      "in the field of the plain string, with the plain one in the field of the optimized one",
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
      "in an undocumented field",
      { connectionString: hosts, srvConnectionString: plain, srvLoadBalanced: optimized },
      { hosts, srv: plain, optimizedSrv: optimized },
    ],
    [
      "in the field of the plain string, with the plain one in an undocumented field",
      { srvConnectionString: optimized, srvLegacy: plain },
      { optimizedSrv: optimized, srv: plain },
    ],
    [
      "in capitals, with a trailing dot and options",
      { srvConnectionString: "DB+SRV://Orders-PL-0-LB.ab1cd.db.example./?tls=true" },
      { optimizedSrv: "DB+SRV://Orders-PL-0-LB.ab1cd.db.example./?tls=true" },
    ],
  ] as const) {
    it(`recognizes an optimized string ${where}`, () => {
      assert.deepEqual(stringsOfRecord(record), expected);
    });
  }

  it("returns a plain string in the field of the optimized one as srv", () => {
    assert.deepEqual(stringsOfRecord({ srvShardOptimizedConnectionString: plain }), { srv: plain });
  });

  for (const field of ["srvConnectionString", "srvShardOptimizedConnectionString"]) {
    it(`returns a host list in the field ${field} as hosts`, () => {
      assert.deepEqual(stringsOfRecord({ [field]: hosts }), { hosts });
      assert.deepEqual(stringsOfRecord({ [field]: "db://first:1024" }), {
        hosts: "db://first:1024",
      });
    });
  }

  it("returns strings of an unknown kind by the names of their fields", () => {
    const [first, second] = ["db+srv://first", "db+srv://second"];
    assert.deepEqual(
      stringsOfRecord({ srvConnectionString: first, srvShardOptimizedConnectionString: second }),
      { srv: first, optimizedSrv: second },
    );
  });

  it("recognizes an optimized string in the deprecated map", () => {
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

  it("returns a plain string in the deprecated map as srv", () => {
    assert.deepEqual(
      stringsOf({
        privateEndpoint: [{ srvConnectionString: optimized, endpoints }],
        awsPrivateLinkSrv: { "vpce-1": plain },
      }),
      { srv: plain, optimizedSrv: optimized },
    );
  });

  it("takes the ID of a record from a deprecated map with the same optimized string", () => {
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

  it("returns further strings of the same form as others, by the names of their fields", () => {
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

  it("returns further strings of the deprecated maps as others, by endpoint ID", () => {
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
