import assert from "node:assert/strict";
import {
  type ClusterStrings,
  type Wanted,
  clusterStrings,
  select,
} from "../../../connection-strings/src";

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

const noStrings: ClusterStrings = { privateEndpoints: [] };

/** Returns the selected string and its kind, or the two texts that explain why no string was selected. */
function selected(wanted: Wanted, from = strings): [string, string] {
  const selection = select(from, wanted);
  switch (selection.kind) {
    case "selected":
      return [selection.connectionString, selection.connectionStringKind];
    case "missing":
      return [selection.missing, selection.why];
    case "ambiguous":
      return [selection.property, selection.problem];
    case "invalid":
      return [String(selection.property), selection.problem];
  }
}

const peering = { kind: "peering" } as const;
const endpoint = (criteria: { endpointId?: string; region?: string } = {}) =>
  ({ kind: "privateEndpoint", ...criteria }) as const;
const [first, second] = ["vpce-1", "vpce-2"].map((endpointId) => endpoint({ endpointId }));

describe("select", () => {
  const cases: [wanted: Wanted, string: string, kind: string][] = [
    [{}, "db+srv://standard", "standardSrv"],
    [{ form: "hosts" }, "db://standard-hosts", "standard"],
    [{ network: peering }, "db+srv://private", "privateSrv"],
    [{ network: peering, form: "hosts" }, "db://private-hosts", "private"],
    [{ network: second }, "db+srv://west", "privateEndpointSrv"],
    [{ network: endpoint({ region: "EU_WEST_1" }) }, "db+srv://west", "privateEndpointSrv"],
    [
      { network: endpoint({ region: "us-east-1" }) },
      "db+srv://east-lb",
      "privateEndpointOptimizedSrv",
    ],
    // Rule 8: optimized by default.
    [{ network: first }, "db+srv://east-lb", "privateEndpointOptimizedSrv"],
    [{ network: first, optimized: false }, "db+srv://east", "privateEndpointSrv"],
    [{ network: first, form: "hosts" }, "db://east-hosts", "privateEndpoint"],
  ];
  for (const [wanted, string, kind] of cases) {
    it(`selects ${string} for ${JSON.stringify(wanted)} (2.6)`, () => {
      assert.deepEqual(selected(wanted), [string, kind]);
    });
  }

  it("does not advise to set up peering if the cluster only lacks the other form (2.6 rule 3)", () => {
    const from = { ...noStrings, privateSrv: "db+srv://private" };
    const [, why] = selected({ network: peering, form: "hosts" }, from);
    assert.match(why, /^A cluster that was just created .* The service returned/);
  });

  it("does not advise to select an endpoint by ID if none has an ID", () => {
    const named = ["us-east-1", "eu-west-1"].map((region) => ({ region, endpointIds: [] }));
    const privateEndpoints = [...named, { endpointIds: [] }];
    const selection = select({ privateEndpoints }, { network: endpoint() });
    assert.ok(selection.kind === "ambiguous");
    assert.deepEqual(selection.selectBy, ["region"]);
    assert.match(
      selection.problem,
      / match: \(no ID\) in us-east-1, .* in eu-west-1, \(no ID\)\.$/,
    );
  });

  it("reports a missing optimized string if optimized: true requires it (2.6 rule 4)", () => {
    const [missing, why] = selected({ network: second, optimized: true });
    assert.match(missing, /optimized private endpoint string/);
    assert.match(why, /sharded clusters of version 5\.0/);
  });

  it("names the argument to change", () => {
    const argumentOf = (wanted: Wanted, from = strings) => {
      const selection = select(from, wanted);
      return selection.kind === "selected" ? undefined : selection.property;
    };
    assert.equal(argumentOf({}, noStrings), "network");
    assert.equal(argumentOf({ network: endpoint({ endpointId: "vpce-9" }) }), "network");
    assert.equal(argumentOf({ network: second, optimized: true }), "optimized");
    for (const wanted of [{}, { network: first, form: "hosts" as const }]) {
      const [property, problem] = selected({ ...wanted, optimized: true });
      assert.equal(property, "optimized");
      assert.match(problem, /requires a privateEndpoint network and form/);
    }
  });

  it("names the criteria that no endpoint matches", () => {
    const missing = (criteria: Parameters<typeof endpoint>[0], from = strings) =>
      selected({ network: endpoint(criteria) }, from)[0];
    const name = "private endpoint string";
    assert.equal(missing({}, noStrings), name);
    assert.equal(missing({ endpointId: "vpce-9" }), `${name} for endpoint vpce-9`);
    assert.equal(missing({ region: "x" }), `${name} for region x`);
    const both = `${name} for endpoint vpce-1 in region eu-west-1`;
    assert.equal(missing({ endpointId: "vpce-1", region: "eu-west-1" }), both);
  });

  const newCluster = "A cluster that was just";
  const newEndpoint = "An endpoint that was just";
  for (const [wanted, name, why] of [
    [{}, "standard string (SRV)", newCluster],
    [{ form: "hosts" }, "standard string (host list)", newCluster],
    [
      { network: peering },
      "peering-private string (SRV)",
      "In a peered network in AWS without custom DNS, use the network internet, ",
    ],
    [
      { network: peering, form: "hosts" },
      "peering-private string (host list)",
      "In a peered network in AWS without custom DNS, use the network internet, ",
    ],
    [{ network: first }, "private endpoint string (SRV)", newEndpoint],
    [{ network: first, optimized: false }, "private endpoint string (SRV)", newEndpoint],
    [{ network: first, form: "hosts" }, "private endpoint string (host list)", newEndpoint],
  ] as [Wanted, name: string, why: string][]) {
    it(`names the missing string and the reason for ${JSON.stringify(wanted)}`, () => {
      const from = { privateEndpoints: [{ endpointIds: ["vpce-1"] }] };
      const [missing, reason] = selected(wanted, from);
      assert.equal(missing, name);
      assert.ok(reason.startsWith(why), reason);
    });
  }

  it("lists the endpoints if several match, without criteria if they share the ID and region", () => {
    const [property, problem] = selected({ network: endpoint() });
    assert.equal(property, "network");
    assert.match(problem, /vpce-1 in US_EAST_1, vpce-2 in eu-west-1/);
    const same = { endpointIds: ["vpce-1"], region: "US_EAST_1" };
    assert.equal(
      selected({ network: first }, { privateEndpoints: [same, same] })[1],
      "several private endpoints match: vpce-1 in US_EAST_1, vpce-1 in US_EAST_1.",
    );
  });

  it("reports what is missing, why, and which strings exist", () => {
    const [, why] = selected({ network: peering }, { ...noStrings, standardSrv: "db+srv://a" });
    assert.match(
      why,
      / set up network peering, .* The service returned strings for: internet \(srv\)\./,
    );
    const network = endpoint({ region: "ap-south-1" });
    assert.match(selected({ network })[0], /for region ap-south-1/);
    assert.match(
      selected({ network })[1],
      /internet \(srv, hosts\); peering \(srv, hosts\); privateEndpoint \(vpce-1 in US_EAST_1, vpce-2 in eu-west-1\)/,
    );
    // A cluster with an endpoint has none after a region without one was added.
    assert.match(
      selected({ network }, noStrings)[1],
      /^Set up a private endpoint in each region of the cluster, .* returned no strings for any network\.$/,
    );
  });
});

describe("select for values that are not the strings of a cluster", () => {
  const standardSrv = "db+srv://orders.ab1cd.db.example";
  const srvConnectionString = "db+srv://orders-pl-0.ab1cd.db.example";

  it("asks for the result of clusterStrings", () => {
    for (const raw of [
      undefined,
      null,
      [{ standardSrv }],
      // The records of the service and of Pulumi's provider for MongoDB Atlas.
      { standardSrv, privateEndpoint: [{ srvConnectionString, endpoints: [] }] },
      { standardSrv, privateEndpoints: [{ srvConnectionString, endpoints: [] }] },
    ]) {
      for (const wanted of [{}, { network: endpoint({ endpointId: "vpce-1" }) }]) {
        // Programs in JavaScript can pass anything.
        const selection: unknown = Reflect.apply(select, undefined, [raw, wanted]);
        assert.deepEqual(selection, {
          kind: "invalid",
          problem:
            "the strings are not a result of clusterStrings. Pass clusterStrings(cluster.connectionStrings).",
          property: undefined,
        });
      }
    }
  });

  it("says that none of the fields is known, and which record is meant", () => {
    const standard = "db://orders-shard-00-00.ab1cd.db.example:27017";
    const endpoints = [{ endpoint_id: "vpce-1", provider_name: "AWS", region: "US_EAST_1" }];
    const private_endpoint = [{ srv_connection_string: srvConnectionString, endpoints }];
    const records = [
      // Terraform's, in which one name is the same.
      [{ standard, standard_srv: standardSrv, private_srv: "", private_endpoint }],
      // A cluster, a flat record, a Kubernetes Secret, and CloudFormation's names.
      { name: "orders", stateName: "IDLE", connectionStrings: { standard, standardSrv } },
      { connectionStringsStandard: standard, connectionStringsStandardSrv: standardSrv },
      { kind: "Secret", data: { connectionStringStandardSrv: "ZGI=" } },
      { Standard: standard, StandardSrv: standardSrv },
    ];
    for (const record of records) {
      for (const wanted of [{}, { network: peering }, { network: endpoint() }]) {
        const [, why] = selected(wanted, clusterStrings(record));
        assert.match(
          why,
          /^None of the fields .* connectionStrings of a cluster, as the service's API/,
        );
        assert.doesNotMatch(why, /later/);
      }
    }
    const hosts = selected({ form: "hosts" }, clusterStrings(records[0]));
    assert.deepEqual(hosts, [standard, "standard"]);
    const [, empty] = selected({}, clusterStrings({}));
    assert.match(empty, /may get it later/);
  });

  it("lists some of many endpoints, and says how many more there are", () => {
    const privateEndpoints = Array.from({ length: 100 }, (_, index) => ({
      index,
      endpointIds: [`vpce-0123456789abcde${index}`],
      region: "US_EAST_1",
      srv: srvConnectionString,
    }));
    const selection = select({ privateEndpoints }, { network: endpoint() });
    assert.ok(selection.kind === "ambiguous");
    assert.match(
      selection.problem,
      /^several private endpoints match: vpce-\S+ .*, and 95 more\.$/,
    );
    assert.ok(selection.problem.length < 400);
  });
});

describe("select for optimized strings (2.6)", () => {
  const optimizedSrv = "db+srv://orders-pl-0-lb.ab1cd.db.example";
  const hosts = "db://orders-pl-0-lb.ab1cd.db.example:1024";
  const only: ClusterStrings = {
    privateEndpoints: [{ endpointIds: ["vpce-1"], hosts, optimizedSrv }],
  };

  it("selects an optimized string if it is the only one, unless optimized is false", () => {
    const expected = [optimizedSrv, "privateEndpointOptimizedSrv"];
    assert.deepEqual(selected({ network: first }, only), expected);
    assert.deepEqual(selected({ network: first, optimized: true }, only), expected);
    const selection = select(only, { network: first, optimized: false });
    assert.ok(selection.kind === "missing");
    assert.equal(selection.property, "optimized");
    assert.equal(selection.missing, "private endpoint string (SRV)");
    assert.match(selection.why, /only SRV string .* is the optimized one.*Omit optimized/);
  });

  it("does not select a host list with lb in its names with optimized: false", () => {
    assert.deepEqual(selected({ network: first, form: "hosts" }, only), [hosts, "privateEndpoint"]);
    const [, why] = selected({ network: first, form: "hosts", optimized: false }, only);
    assert.match(why, /^The only host list that the service returns is the optimized one/);
  });

  it("does not select an optimized string in another field with optimized: false", () => {
    const selection = select({ ...only, standardSrv: optimizedSrv }, { optimized: false });
    assert.ok(selection.kind === "missing");
    assert.equal(selection.property, "optimized");
    assert.match(selection.why, /^The only SRV string that the service returns is the optimized/);
  });
});
