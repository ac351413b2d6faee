import assert from "node:assert/strict";
import {
  type ClusterStrings,
  type ServicePrivateEndpoint,
  type ServiceStrings,
  clusterStrings,
  select,
} from "../../../connection-strings/src";

/** Returns the host of a private endpoint. */
const host = (index: number, region: string) => `pl-${index}-${region}.ab1cd.db.example`;

/** Returns the record of a private endpoint with an ID in each region. */
const record = (index: number, ...regions: string[]): ServicePrivateEndpoint => ({
  connectionString: `db://${host(index, "us-east-1")}:1024`,
  srvConnectionString: `db+srv://orders-${host(index, "us-east-1")}`,
  endpoints: regions.map((region, position) => ({
    endpointId: `vpce-${index}-${position}`,
    region,
  })),
});

/** Returns the strings of a cluster that only has private endpoints. */
const stringsOf = (...privateEndpoint: ServicePrivateEndpoint[]) =>
  clusterStrings({ privateEndpoint });

const standard = "db://orders-shard-00-00.ab1cd.db.example:27017";

describe("clusterStrings for private endpoints", () => {
  it("returns a private endpoint with its index, region, IDs and three strings", () => {
    const endpoint = {
      connectionString: "db://pl-0-us-east-1.ab1cd.db.example:1024",
      srvConnectionString: "db+srv://orders-pl-0-us-east-1.ab1cd.db.example",
      srvShardOptimizedConnectionString: "db+srv://orders-pl-0-lb.ab1cd.db.example",
      type: "ROUTER",
      endpoints: [{ endpointId: "vpce-1", providerName: "A", region: "US_EAST_1" }],
    };
    assert.deepEqual(clusterStrings({ privateEndpoint: [endpoint] }).privateEndpoints, [
      {
        index: 0,
        region: "US_EAST_1",
        endpointIds: ["vpce-1"],
        hosts: endpoint.connectionString,
        srv: endpoint.srvConnectionString,
        optimizedSrv: endpoint.srvShardOptimizedConnectionString,
      },
    ]);
  });

  it("takes the region from the host name if the service returns none", () => {
    const connectionString = "db://pl-3-eu-west-1.ab1cd.db.example:1024";
    assert.deepEqual(clusterStrings({ privateEndpoint: [{ connectionString }] }).privateEndpoints, [
      { index: 3, region: "eu-west-1", endpointIds: [], hosts: connectionString },
    ]);
  });

  it("sorts private endpoints by index", () => {
    const recordOf = (index: number) => ({
      connectionString: `db://pl-${index}-eu-west-1.ab1cd.db.example:1024`,
    });
    const indexes = (order: number[]) =>
      clusterStrings({ privateEndpoint: order.map(recordOf) }).privateEndpoints.map(
        ({ index }) => index,
      );
    assert.deepEqual(indexes([10, 2, 0]), [0, 2, 10]);
  });

  it("sorts private endpoints with the same index by region", () => {
    const recordOf = (region: string) => ({
      connectionString: `db://pl-0-${region}.ab1cd.db.example:1024`,
    });
    const regions = (order: string[]) =>
      clusterStrings({ privateEndpoint: order.map(recordOf) }).privateEndpoints.map(
        ({ region }) => region,
      );
    assert.deepEqual(regions(["us-east-1", "eu-west-1"]), ["eu-west-1", "us-east-1"]);
    assert.deepEqual(regions(["eu-west-1", "us-east-1"]), ["eu-west-1", "us-east-1"]);
  });

  it("adds endpoints, IDs and strings that are only in the deprecated maps", () => {
    const hosts = (index: number) => `db://pl-${index}-us-east-1.ab1cd.db.example:1024`;
    const srv = (index: number) => `db+srv://orders-pl-${index}-us-east-1.ab1cd.db.example`;
    const { privateEndpoints, others } = clusterStrings({
      privateEndpoint: [
        { connectionString: hosts(0), endpoints: [{ endpointId: "vpce-0" }] },
        { connectionString: hosts(1) },
      ],
      awsPrivateLink: { "vpce-0": "db://other", "vpce-1": hosts(1), "vpce-2": hosts(2) },
      awsPrivateLinkSrv: { "vpce-0": srv(0), "vpce-2": srv(2) },
    });
    const region = "us-east-1";
    assert.deepEqual(privateEndpoints, [
      {
        index: 0,
        region,
        endpointIds: ["vpce-0"],
        hosts: hosts(0),
        srv: srv(0),
        others: { awsPrivateLink: { "vpce-0": "db://other" } },
      },
      { index: 1, region, endpointIds: ["vpce-1"], hosts: hosts(1) },
      { index: 2, region, endpointIds: ["vpce-2"], hosts: hosts(2), srv: srv(2) },
    ]);
    assert.equal(others, undefined);
  });

  it("returns unknown strings of a private endpoint as its others", () => {
    const endpoint = { endpoints: [], type: "NODE", mappedString: "db://a.b.c.d:1" };
    assert.deepEqual(clusterStrings({ privateEndpoint: [endpoint] }).privateEndpoints, [
      { endpointIds: [], others: { mappedString: "db://a.b.c.d:1" } },
    ]);
  });

  it("reads the index and region of endpoints under a domain other than the cluster's", () => {
    const connectionString = "db://pl-2-eu-west-1.ab1cd.endpoints.example:1024";
    assert.deepEqual(
      clusterStrings({ standard, privateEndpoint: [{ connectionString }] }).privateEndpoints,
      [{ index: 2, region: "eu-west-1", endpointIds: [], hosts: connectionString }],
    );
  });

  it("assigns strings from before 2020 to their endpoint", () => {
    const connectionString = "db://pl-0-us-east-1-ab1cd.eu.db.example:1024";
    const srvConnectionString = "db+srv://orders-pl-0-ab1cd.eu.db.example";
    const strings = clusterStrings({
      standard: "db://orders-shard-00-00-ab1cd.eu.db.example:27017",
      privateEndpoint: [{ connectionString, srvConnectionString }],
      older: srvConnectionString,
    });
    assert.deepEqual(strings.privateEndpoints, [
      {
        index: 0,
        region: "us-east-1",
        endpointIds: [],
        hosts: connectionString,
        srv: srvConnectionString,
      },
    ]);
    assert.equal(strings.legacySrv, undefined);
    assert.deepEqual(strings.others, { older: srvConnectionString });
  });

  it("does not mistake an inherited property of a map for a string", () => {
    const connectionString = "db://pl-0-eu-west-1.ab1cd.db.example:1024";
    const endpoints = [{ endpointId: "constructor" }, { endpointId: "toString" }];
    const strings = clusterStrings({
      privateEndpoint: [{ connectionString, endpoints }],
      awsPrivateLinkSrv: {},
    });
    assert.deepEqual(strings.privateEndpoints, [
      {
        index: 0,
        region: "eu-west-1",
        endpointIds: ["constructor", "toString"],
        hosts: connectionString,
      },
    ]);
  });

  it("does not assign the ID of one record to another that shares its string", () => {
    const srvConnectionString = "db+srv://orders-pl-0.ab1cd.db.example";
    const record = (endpointId: string) => ({ srvConnectionString, endpoints: [{ endpointId }] });
    const { privateEndpoints } = clusterStrings({
      privateEndpoint: [record("vpce-1"), record("vpce-2")],
      awsPrivateLinkSrv: { "vpce-1": srvConnectionString },
    });
    assert.deepEqual(
      privateEndpoints.map(({ endpointIds }) => endpointIds),
      [["vpce-1"], ["vpce-2"]],
    );
  });

  it("returns all regions of endpoints that share their strings", () => {
    const [endpoint] = stringsOf(record(0, "US_EAST_1", "EU_WEST_1", "US_EAST_1")).privateEndpoints;
    assert.equal(endpoint?.region, "US_EAST_1");
    assert.deepEqual(endpoint.regions, ["EU_WEST_1", "US_EAST_1"]);
  });

  it("sorts regions", () => {
    const regions = (...names: string[]) =>
      stringsOf(record(0, ...names)).privateEndpoints[0]?.regions;
    assert.deepEqual(regions("US_EAST_1", "EU_WEST_1"), regions("EU_WEST_1", "US_EAST_1"));
  });

  it("omits regions if all endpoints are in one region, in any spelling", () => {
    for (const regions of [["US_EAST_1"], ["US_EAST_1", "us-east-1"], []]) {
      const [endpoint = {}] = stringsOf(record(0, ...regions)).privateEndpoints;
      assert.equal("regions" in endpoint, false);
    }
  });
});

const plain = "db+srv://orders-pl-0-us-east-1.ab1cd.db.example";
const optimized = "db+srv://orders-pl-0-lb.ab1cd.db.example";
const hosts = "db://pl-0-us-east-1.ab1cd.db.example:1024";
const endpoints = [{ endpointId: "vpce-1", region: "US_EAST_1" }];

// Optimized strings are recognized by lb in their host name, whichever field they are in (2.6).

/** Returns the strings of the only endpoint of a cluster, without its index, region and IDs. */
function formsOf(strings: ServiceStrings): object {
  const [endpoint, ...more] = clusterStrings(strings).privateEndpoints;
  assert.ok(endpoint !== undefined && more.length === 0);
  const { index, region, endpointIds, ...endpointStrings } = endpoint;
  assert.deepEqual(endpointIds, ["vpce-1"]);
  return endpointStrings;
}
const formsOfRecord = (record: ServicePrivateEndpoint) =>
  formsOf({ privateEndpoint: [{ ...record, endpoints }] });

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
      assert.deepEqual(formsOfRecord(record), expected);
    });
  }

  it("returns a plain string in the field of the optimized one as srv", () => {
    assert.deepEqual(formsOfRecord({ srvShardOptimizedConnectionString: plain }), { srv: plain });
  });

  for (const field of ["srvConnectionString", "srvShardOptimizedConnectionString"]) {
    it(`returns a host list in the field ${field} as hosts`, () => {
      assert.deepEqual(formsOfRecord({ [field]: hosts }), { hosts });
      assert.deepEqual(formsOfRecord({ [field]: "db://first:1024" }), {
        hosts: "db://first:1024",
      });
    });
  }

  it("returns strings of an unknown kind by the names of their fields", () => {
    const [first, second] = ["db+srv://first", "db+srv://second"];
    assert.deepEqual(
      formsOfRecord({ srvConnectionString: first, srvShardOptimizedConnectionString: second }),
      { srv: first, optimizedSrv: second },
    );
  });

  it("recognizes an optimized string in the deprecated map", () => {
    assert.deepEqual(formsOf({ awsPrivateLinkSrv: { "vpce-1": optimized } }), {
      optimizedSrv: optimized,
    });
    assert.deepEqual(
      formsOf({
        privateEndpoint: [{ connectionString: hosts, srvConnectionString: plain, endpoints }],
        awsPrivateLinkSrv: { "vpce-1": optimized },
      }),
      { hosts, srv: plain, optimizedSrv: optimized },
    );
  });

  it("returns a plain string in the deprecated map as srv", () => {
    assert.deepEqual(
      formsOf({
        privateEndpoint: [{ srvConnectionString: optimized, endpoints }],
        awsPrivateLinkSrv: { "vpce-1": plain },
      }),
      { srv: plain, optimizedSrv: optimized },
    );
  });

  it("takes the ID of a record from a deprecated map with the same optimized string", () => {
    assert.deepEqual(
      formsOf({
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
      formsOf({
        privateEndpoint: [
          { srvConnectionString: second, srvShardOptimizedConnectionString: optimized, endpoints },
        ],
        awsPrivateLinkSrv: { "vpce-1": plain },
      }),
      { srv: plain, optimizedSrv: optimized, others: { srvConnectionString: second } },
    );
    assert.deepEqual(
      formsOf({
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
    case "ambiguous":
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

  it("ignores the provider at the end of a region", () => {
    for (const [spelling, region] of [
      ["US_EAST1", "us-east1-gcp"],
      ["eastus2-azure", "eastus2"],
    ] as const) {
      const strings = stringsOf(record(0, spelling), record(1, "us-east2-gcp"));
      assert.equal(selected(strings, { region }), `db+srv://orders-${host(0, "us-east-1")}`);
    }
  });

  it("matches names of one region with another order of words, in both directions", () => {
    for (const names of [
      ["eastus2", "US_EAST_2", "us-east-2", "East US 2"],
      ["northeurope", "EUROPE_NORTH"],
      ["southeastasia", "ASIA_SOUTH_EAST"],
      ["northcentralus", "US_NORTH_CENTRAL"],
      ["southafricanorth", "SOUTH_AFRICA_NORTH"],
    ]) {
      for (const recorded of names) {
        for (const region of names) {
          const strings = stringsOf(record(0, recorded), record(1, "WEST_US_3"));
          assert.equal(selected(strings, { region }), `db+srv://orders-${host(0, "us-east-1")}`);
        }
      }
    }
  });

  it("never matches two regions", () => {
    for (const [recorded, region] of [
      ["eastus2", "US_EAST_1"],
      ["eastus2", "US_EAST"],
      ["eastus", "US_EAST_2"],
      ["eastus2", "US_WEST_2"],
      ["eastus12", "US_EAST_21"],
      ["southeastasia", "ASIA_EAST"],
      ["us-east-1-lax-1", "us-east-1"],
      ["us-east-2", ""],
      ["2", "US_EAST_2"],
    ] as const) {
      const endpoint = { ...record(0, recorded), connectionString: "db://a.example" };
      const strings = stringsOf({ ...endpoint, srvConnectionString: "db+srv://a.example" });
      assert.match(selected(strings, { region }), /No private endpoint/, region);
    }
  });

  it("prefers a name with the same order of words, and picks none of several others", () => {
    const [ohio, virginia] = [record(0, "us-east-2"), record(1, "eastus2")];
    const find = (region: string, ...records: ServicePrivateEndpoint[]) =>
      selected(stringsOf(...records), { region });
    assert.equal(find("us-east-2", ohio, virginia), ohio.srvConnectionString);
    assert.equal(find("eastus2", ohio, virginia), virginia.srvConnectionString);
    assert.match(find("us-east-2", virginia, record(2, "EAST_US_2")), /^several private endpoints/);
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
