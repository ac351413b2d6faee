import assert from "node:assert/strict";
import fc from "fast-check";
import { clusterStrings } from "../../../connection-strings/src";

/** Returns the host of a private endpoint. */
const host = (index: number, region: string) => `pl-${index}-${region}.ab1cd.db.example`;

/** Returns the record of a private endpoint with an ID in each region. */
const record = (index: number, ...regions: string[]) => ({
  connectionString: `db://${host(index, "us-east-1")}:1024`,
  srvConnectionString: `db+srv://orders-${host(index, "us-east-1")}`,
  endpoints: regions.map((region, position) => ({
    endpointId: `vpce-${index}-${position}`,
    region,
  })),
});

/** Returns the strings of a cluster that only has private endpoints. */
const stringsOf = (...privateEndpoint: object[]) => clusterStrings({ privateEndpoint });

/** Returns the private endpoints of a cluster that only has these. */
const endpointsOf = (...privateEndpoint: object[]) =>
  stringsOf(...privateEndpoint).privateEndpoints;

/** Returns the host list and the SRV string of a private endpoint. */
const hostsOf = (index: number, region = "us-east-1") => `db://${host(index, region)}:1024`;
const srvOf = (index: number) => `db+srv://orders-${host(index, "us-east-1")}`;

describe("clusterStrings for private endpoints", () => {
  it("returns a private endpoint with its index, region, IDs and three strings", () => {
    const optimizedSrv = "db+srv://orders-pl-0-lb.ab1cd.db.example";
    const endpoint = {
      connectionString: hostsOf(0),
      srvConnectionString: srvOf(0),
      srvShardOptimizedConnectionString: optimizedSrv,
      type: "ROUTER",
      endpoints: [{ endpointId: "vpce-1", providerName: "A", region: "US_EAST_1" }],
    };
    const named = { index: 0, region: "US_EAST_1", cloud: "A", endpointIds: ["vpce-1"] };
    assert.deepEqual(endpointsOf(endpoint), [
      { ...named, hosts: hostsOf(0), srv: srvOf(0), optimizedSrv },
    ]);
  });

  it("takes the region from the host name if the service returns none", () => {
    const connectionString = hostsOf(3, "eu-west-1");
    assert.deepEqual(endpointsOf({ connectionString }), [
      { index: 3, region: "eu-west-1", endpointIds: [], hosts: connectionString },
    ]);
    const [srv, optimizedSrv] = ["pl-0", "pl-0-lb"].map((name) => `db+srv://o-${name}.ab1cd.db.e`);
    assert.deepEqual(
      endpointsOf({ srvConnectionString: srv, srvShardOptimizedConnectionString: optimizedSrv }),
      [{ index: 0, endpointIds: [], srv, optimizedSrv }],
    );
  });

  it("sorts private endpoints by index, region and ID, in whichever order the service lists them", () => {
    const sorted = [
      { index: 0, region: "eastus", endpointIds: ["pe-4", "pe-5"] },
      { index: 0, region: "eastus", endpointIds: ["pe-6"] },
      { index: 0, region: "eastus2", endpointIds: ["pe-3"] },
      { index: 2, region: "eastus", endpointIds: ["pe-2"] },
      { index: 10, region: "eastus", endpointIds: ["pe-1"] },
    ].map((endpoint) => ({ ...endpoint, hosts: hostsOf(endpoint.index, endpoint.region) }));
    const records = sorted.map(({ hosts, region, endpointIds }) => ({
      connectionString: hosts,
      endpoints: endpointIds.map((endpointId) => ({ endpointId, region })).reverse(),
    }));
    const orders = fc.shuffledSubarray(records, { minLength: records.length });
    fc.assert(
      fc.property(orders, (order) => {
        assert.deepEqual(endpointsOf(...order), sorted);
      }),
    );
  });

  it("adds endpoints and strings that are only in the deprecated maps", () => {
    const { privateEndpoints, others } = clusterStrings({
      privateEndpoint: [
        { connectionString: hostsOf(0), endpoints: [{ endpointId: "vpce-0" }] },
        { connectionString: hostsOf(1), endpoints: [{ endpointId: "vpce-1" }] },
      ],
      awsPrivateLink: { "vpce-0": "db://other", "vpce-1": hostsOf(1), "vpce-2": hostsOf(2) },
      awsPrivateLinkSrv: { "vpce-0": srvOf(0), "vpce-1": srvOf(1), "vpce-2": srvOf(2) },
    });
    const endpoint = (index: number) => ({
      index,
      region: "us-east-1",
      endpointIds: [`vpce-${index}`],
      hosts: hostsOf(index),
      srv: srvOf(index),
    });
    const further = { awsPrivateLink: { "vpce-0": "db://other" } };
    assert.deepEqual(privateEndpoints, [
      { ...endpoint(0), others: further },
      endpoint(1),
      endpoint(2),
    ]);
    assert.equal(others, undefined);
  });

  it("returns unknown strings of a private endpoint as its others", () => {
    const endpoint = { endpoints: [{}], type: "NODE", mappedString: "db://a.b.c.d:1" };
    const others = { mappedString: "db://a.b.c.d:1" };
    assert.deepEqual(endpointsOf(endpoint), [{ endpointIds: [], others }]);
  });

  it("reads the index and region of endpoints under a domain other than the cluster's", () => {
    const standard = "db://orders-shard-00-00.ab1cd.db.example:27017";
    const connectionString = "db://pl-2-eu-west-1.ab1cd.endpoints.example:1024";
    assert.deepEqual(
      clusterStrings({ standard, privateEndpoint: [{ connectionString }] }).privateEndpoints,
      [{ index: 2, region: "eu-west-1", endpointIds: [], hosts: connectionString }],
    );
  });

  it("assigns strings from before 2020 to their endpoint", () => {
    const connectionString = "db://pl-0-us-east-1-ab1cd.eu.db.example:1024";
    const srv = "db+srv://orders-pl-0-ab1cd.eu.db.example";
    const { privateEndpoints, legacySrv, others } = clusterStrings({
      standard: "db://orders-shard-00-00-ab1cd.eu.db.example:27017",
      privateEndpoint: [{ connectionString, srvConnectionString: srv }],
      older: srv,
    });
    const named = { index: 0, region: "us-east-1", endpointIds: [] };
    assert.deepEqual(privateEndpoints, [{ ...named, hosts: connectionString, srv }]);
    assert.equal(legacySrv, undefined);
    assert.deepEqual(others, { older: srv });
  });

  it("does not mistake an inherited property of a map for a string", () => {
    const ids = ["constructor", "toString"];
    const endpoints = ids.map((endpointId) => ({ endpointId }));
    const privateEndpoint = [{ connectionString: hostsOf(0), endpoints }];
    assert.deepEqual(clusterStrings({ privateEndpoint, awsPrivateLinkSrv: {} }).privateEndpoints, [
      { index: 0, region: "us-east-1", endpointIds: ids, hosts: hostsOf(0) },
    ]);
  });

  it("returns all regions of endpoints that share their strings, sorted", () => {
    const [endpoint] = endpointsOf(record(0, "US_EAST_1", "EU_WEST_1", "US_EAST_1"));
    assert.equal(endpoint?.region, "US_EAST_1");
    assert.deepEqual(endpoint.regions, ["EU_WEST_1", "US_EAST_1"]);
    assert.deepEqual(
      endpointsOf(record(0, "EU_WEST_1", "US_EAST_1"))[0]?.regions,
      endpoint.regions,
    );
  });

  it("omits regions if all endpoints are in one region, in any spelling", () => {
    for (const regions of [["US_EAST_1"], ["US_EAST_1", "us-east-1"], []]) {
      assert.ok(!("regions" in (endpointsOf(record(0, ...regions))[0] ?? {})));
    }
  });
});

const plain = "db+srv://orders-pl-0-us-east-1.ab1cd.db.example";
const optimized = "db+srv://orders-pl-0-lb.ab1cd.db.example";
const hosts = "db://pl-0-us-east-1.ab1cd.db.example:1024";
const endpoints = [{ endpointId: "vpce-1", region: "US_EAST_1" }];

/** Returns the strings of the only endpoint of a cluster, without its index, region and IDs. */
function formsOf(strings: object): object {
  const [endpoint, ...more] = clusterStrings(strings).privateEndpoints;
  assert.ok(endpoint !== undefined && more.length === 0);
  const { index, region, endpointIds, ...endpointStrings } = endpoint;
  assert.deepEqual(endpointIds, ["vpce-1"]);
  return endpointStrings;
}

const second = optimized.replace("pl-0", "pl-1");
const secondPlain = plain.replace("pl-0", "pl-1");
const capitals = "DB+SRV://Orders-PL-0-LB.ab1cd.db.example./?tls=true";
const one = "db+srv://one.b.c.d";
const two = "db+srv://two.b.c.d";

/** Fields of a private endpoint's record, and the strings of the endpoint. */
type Forms = [fields: object, expected: object, map?: string];

// Optimized strings are recognized by lb in their host name, whichever field they are in (2.6).
describe("clusterStrings for optimized strings (2.6)", () => {
  const cases: Forms[] = [
    [{ srvConnectionString: optimized }, { optimizedSrv: optimized }],
    [
      { srvConnectionString: optimized, srvShardOptimizedConnectionString: plain },
      { optimizedSrv: optimized, srv: plain },
    ],
    [
      { srvConnectionString: optimized, srvShardOptimizedConnectionString: optimized },
      { optimizedSrv: optimized },
    ],
    [
      { connectionString: optimized, srvConnectionString: plain },
      { optimizedSrv: optimized, srv: plain },
    ],
    [
      { connectionString: hosts, srvConnectionString: plain, srvLoadBalanced: optimized },
      { hosts, srv: plain, optimizedSrv: optimized },
    ],
    [
      { srvConnectionString: optimized, srvLegacy: plain },
      { optimizedSrv: optimized, srv: plain },
    ],
    [{ srvConnectionString: capitals }, { optimizedSrv: capitals }],
    [{ srvShardOptimizedConnectionString: plain }, { srv: plain }],
    ...["srvConnectionString", "srvShardOptimizedConnectionString"].flatMap((field): Forms[] => [
      [{ [field]: hosts }, { hosts }],
      [{ [field]: "db://first:1024" }, { hosts: "db://first:1024" }],
    ]),
    // A field that is not documented is never a duplicate.
    [
      { srvConnectionString: plain, further: plain },
      { srv: plain, others: { further: plain } },
    ],
    // Strings of an unknown kind are named like their fields.
    [
      {
        srvConnectionString: "db+srv://first",
        srvShardOptimizedConnectionString: "db+srv://second",
      },
      { srv: "db+srv://first", optimizedSrv: "db+srv://second" },
    ],
    // Further strings in the deprecated map.
    [
      { connectionString: hosts, srvConnectionString: plain },
      { hosts, srv: plain, optimizedSrv: optimized },
      optimized,
    ],
    [{ srvConnectionString: optimized }, { srv: plain, optimizedSrv: optimized }, plain],
    // Further strings of the same form.
    [
      { srvConnectionString: second, srvShardOptimizedConnectionString: optimized },
      { srv: plain, optimizedSrv: optimized, others: { srvConnectionString: second } },
      plain,
    ],
    [
      { srvConnectionString: plain, srvShardOptimizedConnectionString: secondPlain },
      {
        srv: plain,
        optimizedSrv: second,
        others: { srvShardOptimizedConnectionString: secondPlain },
      },
      second,
    ],
  ];
  for (const [fields, expected, map] of cases) {
    const fromMap = map === undefined ? "" : ` and ${map} in the deprecated map`;
    it(`sorts ${JSON.stringify(fields)}${fromMap}`, () => {
      const privateEndpoint = [{ ...fields, endpoints }];
      const maps = map === undefined ? {} : { awsPrivateLinkSrv: { "vpce-1": map } };
      assert.deepEqual(formsOf({ privateEndpoint, ...maps }), expected);
    });
  }

  it("recognizes an optimized string that is only in the deprecated map", () => {
    assert.deepEqual(formsOf({ awsPrivateLinkSrv: { "vpce-1": optimized } }), {
      optimizedSrv: optimized,
    });
  });

  it("returns text that is not a connection string under the name of its deprecated map", () => {
    const maps = { awsPrivateLink: { "vpce-1": "one" }, awsPrivateLinkSrv: { "vpce-1": "two" } };
    assert.deepEqual(formsOf(maps), { hosts: "one", srv: "two" });
  });

  it("returns further strings of the deprecated maps as others, by endpoint ID", () => {
    const map = { "vpce-1": one, "vpce-2": two };
    const shared = Object.keys(map).map((endpointId) => ({ endpointId }));
    const [endpoint] = clusterStrings({
      privateEndpoint: [{ srvConnectionString: plain, endpoints: shared }],
      awsPrivateLinkSrv: map,
    }).privateEndpoints;
    assert.equal(endpoint?.srv, plain);
    assert.deepEqual(endpoint.others, { awsPrivateLinkSrv: map });
  });
});
