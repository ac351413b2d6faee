import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type ClusterStrings,
  type Network,
  type Wanted,
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
    case "unclear":
      return [selection.property, selection.problem];
  }
}

describe("select", () => {
  it("selects the standard string for the Internet, in SRV form by default (2.6)", () => {
    assert.deepEqual(selected({}), ["db+srv://standard", "standardSrv"]);
    assert.deepEqual(selected({ form: "hosts" }), ["db://standard-hosts", "standard"]);
  });

  it("selects the peering-private string for a peered network (2.6 rule 3)", () => {
    const network = { kind: "peering" } as const;
    assert.deepEqual(selected({ network }), ["db+srv://private", "privateSrv"]);
    assert.deepEqual(selected({ network, form: "hosts" }), ["db://private-hosts", "private"]);
  });

  it("selects the string of a private endpoint by ID or by region in any spelling", () => {
    const by = (criteria: { endpointId?: string; region?: string }) =>
      selected({ network: { kind: "privateEndpoint", ...criteria } });
    assert.deepEqual(by({ endpointId: "vpce-2" }), ["db+srv://west", "privateEndpointSrv"]);
    assert.deepEqual(by({ region: "EU_WEST_1" }), ["db+srv://west", "privateEndpointSrv"]);
    assert.equal(by({ region: "us-east-1" })[0], "db+srv://east-lb");
    assert.match(
      by({ endpointId: "vpce-1", region: "eu-west-1" })[0],
      /vpce-1 in region eu-west-1/,
    );
  });

  it("selects the optimized SRV string by default if there is one (2.6 rule 8)", () => {
    const network = { kind: "privateEndpoint", endpointId: "vpce-1" } as const;
    assert.equal(selected({ network })[1], "privateEndpointOptimizedSrv");
    assert.deepEqual(selected({ network, optimized: false }), [
      "db+srv://east",
      "privateEndpointSrv",
    ]);
    assert.deepEqual(selected({ network, form: "hosts" }), ["db://east-hosts", "privateEndpoint"]);
  });

  it("reports a missing optimized string if optimized: true requires it (2.6 rule 4)", () => {
    const network = { kind: "privateEndpoint", endpointId: "vpce-2" } as const;
    const [missing, why] = selected({ network, optimized: true });
    assert.match(missing, /optimized private endpoint string/);
    assert.match(why, /sharded clusters of version 5\.0/);
  });

  it("rejects optimized: true for networks and forms without optimized strings", () => {
    assert.deepEqual(selected({ optimized: true })[0], "optimized");
    const network = { kind: "privateEndpoint", endpointId: "vpce-1" } as const;
    assert.deepEqual(selected({ network, form: "hosts", optimized: true })[0], "optimized");
  });

  it("names the argument to change", () => {
    const argumentOf = (wanted: Wanted, from = strings) => {
      const selection = select(from, wanted);
      return selection.kind === "selected" ? undefined : selection.property;
    };
    const network = (endpointId: string) => ({ kind: "privateEndpoint", endpointId }) as const;
    assert.equal(argumentOf({}, noStrings), "network");
    assert.equal(argumentOf({ network: network("vpce-9") }), "network");
    assert.equal(argumentOf({ network: network("vpce-2"), optimized: true }), "optimized");
    assert.match(selected({ optimized: true })[1], /requires a privateEndpoint network and form/);
  });

  it("names the criteria that no endpoint matches", () => {
    const missing = (criteria: { endpointId?: string; region?: string }, from = strings) =>
      selected({ network: { kind: "privateEndpoint", ...criteria } }, from)[0];
    const name = "private endpoint string";
    assert.equal(missing({}, noStrings), name);
    assert.equal(missing({ endpointId: "vpce-9" }), `${name} for endpoint vpce-9`);
    assert.equal(missing({ region: "x" }), `${name} for region x`);
    assert.equal(
      missing({ endpointId: "vpce-9", region: "x" }),
      `${name} for endpoint vpce-9 in region x`,
    );
  });

  it("reports a string that the service has not returned yet", () => {
    assert.match(
      selected({}, noStrings)[1],
      /^The service has not returned one for this cluster yet\./,
    );
    const from = { privateEndpoints: [{ endpointIds: ["vpce-1"], hosts: "db://a" }] };
    const network = { kind: "privateEndpoint" } as const;
    for (const optimized of [undefined, false]) {
      const wanted = optimized === undefined ? { network } : { network, optimized };
      assert.match(
        selected(wanted, from)[1],
        /^The service has not returned one for this endpoint yet\./,
      );
    }
  });

  it("suggests no criteria for several matches that share the ID and region", () => {
    const endpoint = { endpointIds: ["vpce-1"], region: "US_EAST_1" };
    const network = { kind: "privateEndpoint", endpointId: "vpce-1" } as const;
    assert.equal(
      selected({ network }, { privateEndpoints: [endpoint, endpoint] })[1],
      "several private endpoints match: vpce-1 in US_EAST_1, vpce-1 in US_EAST_1.",
    );
  });

  it("lists the endpoints if several match", () => {
    const [property, problem] = selected({ network: { kind: "privateEndpoint" } });
    assert.equal(property, "network");
    assert.match(problem, /vpce-1 in US_EAST_1, vpce-2 in eu-west-1/);
  });

  it("reports what is missing, why, and which strings exist", () => {
    const peering = selected(
      { network: { kind: "peering" } },
      { ...noStrings, standardSrv: "db+srv://a" },
    );
    assert.match(peering[1], /only if network peering .* It has strings for: internet \(srv\)\./);
    const network = { kind: "privateEndpoint", region: "ap-south-1" } as const;
    assert.match(selected({ network })[0], /for region ap-south-1/);
    assert.match(
      selected({ network })[1],
      /internet \(srv, hosts\); peering \(srv, hosts\); privateEndpoint \(vpce-1 in US_EAST_1, vpce-2 in eu-west-1\)/,
    );
    assert.match(
      selected({ network }, noStrings)[1],
      /no private endpoint.* no connection strings\./,
    );
  });

  it("selects only strings that the service returned (property)", () => {
    const text = fc.option(fc.string({ minLength: 1, maxLength: 6 }), { nil: undefined });
    const id = fc.constantFrom("e1", "e2", "e3");
    const region = fc.constantFrom("us-east-1", "EU_WEST_1", "eu-west-1");
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const endpoint = fc.record({
      region: optional(region),
      endpointIds: fc.array(id, { maxLength: 2 }),
      hosts: text,
      srv: text,
      optimizedSrv: text,
    });
    const anyStrings = fc.record({
      standard: text,
      standardSrv: text,
      private: text,
      privateSrv: text,
      privateEndpoints: fc.array(endpoint, { maxLength: 3 }),
    });
    const network: fc.Arbitrary<Network> = fc.oneof(
      fc.constantFrom<Network>({ kind: "internet" }, { kind: "peering" }),
      fc.record({
        kind: fc.constant("privateEndpoint" as const),
        endpointId: optional(id),
        region: optional(region),
      }),
    );
    const anyWanted = fc.record({
      network: optional(network),
      form: fc.constantFrom("srv" as const, "hosts" as const, undefined),
      optimized: optional(fc.boolean()),
    });
    fc.assert(
      fc.property(anyStrings, anyWanted, (raw, wanted) => {
        // Removes the keys of absent strings, as in a response of the service.
        const from = JSON.parse(JSON.stringify(raw)) as ClusterStrings;
        const selection = select(from, wanted);
        if (selection.kind !== "selected") return;
        const { privateEndpoints, ...named } = from;
        const all = [
          ...Object.values(named),
          ...privateEndpoints.flatMap(({ hosts, srv, optimizedSrv }) => [hosts, srv, optimizedSrv]),
        ];
        assert.ok(all.includes(selection.connectionString));
        assert.ok(
          wanted.optimized !== true || selection.connectionStringKind.endsWith("OptimizedSrv"),
        );
      }),
      { numRuns: 2000 },
    );
  });
});
