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

const none: ClusterStrings = { privateEndpoints: [] };

function chosen(wanted: Wanted, from = strings): [string, string] {
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
  it("gives the standard string for the Internet, in SRV form unless told otherwise (2.6 standard)", () => {
    assert.deepEqual(chosen({}), ["db+srv://standard", "standardSrv"]);
    assert.deepEqual(chosen({ form: "hosts" }), ["db://standard-hosts", "standard"]);
  });

  it("gives the peering-private string for a peered network (2.6 rule 3)", () => {
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
    assert.match(
      by({ endpointId: "vpce-1", region: "eu-west-1" })[0],
      /vpce-1 in region eu-west-1/,
    );
  });

  it("takes the optimized SRV where there is one, unless told otherwise (2.6 rule 8)", () => {
    const network = { kind: "privateEndpoint", endpointId: "vpce-1" } as const;
    assert.equal(chosen({ network })[1], "privateEndpointOptimizedSrv");
    assert.deepEqual(chosen({ network, optimized: false }), [
      "db+srv://east",
      "privateEndpointSrv",
    ]);
    assert.deepEqual(chosen({ network, form: "hosts" }), ["db://east-hosts", "privateEndpoint"]);
  });

  it("says that there is no optimized SRV where only that will do (2.6 rule 4)", () => {
    const network = { kind: "privateEndpoint", endpointId: "vpce-2" } as const;
    const [missing, why] = chosen({ network, optimized: true });
    assert.match(missing, /optimized private endpoint string/);
    assert.match(why, /sharded clusters of version 5\.0/);
  });

  it("refuses to look for an optimized string where none can be", () => {
    assert.deepEqual(chosen({ optimized: true })[0], "optimized");
    const network = { kind: "privateEndpoint", endpointId: "vpce-1" } as const;
    assert.deepEqual(chosen({ network, form: "hosts", optimized: true })[0], "optimized");
  });

  it("asks which endpoint where several fit", () => {
    const [property, problem] = chosen({ network: { kind: "privateEndpoint" } });
    assert.equal(property, "network");
    assert.match(problem, /vpce-1 in US_EAST_1, vpce-2 in eu-west-1/);
  });

  it("says what is missing, why, and what there is", () => {
    const peering = chosen(
      { network: { kind: "peering" } },
      { ...none, standardSrv: "db+srv://a" },
    );
    assert.match(peering[1], /only if network peering .* It has strings for: internet \(srv\)\./);
    const network = { kind: "privateEndpoint", region: "ap-south-1" } as const;
    assert.match(chosen({ network })[0], /for region ap-south-1/);
    assert.match(
      chosen({ network })[1],
      /internet \(srv, hosts\); peering \(srv, hosts\); privateEndpoint \(vpce-1 in US_EAST_1, vpce-2 in eu-west-1\)/,
    );
    assert.match(chosen({ network }, none)[1], /no private endpoint.* no connection strings\./);
  });

  it("returns only strings that the service gave (property)", () => {
    const text = fc.option(fc.string({ minLength: 1, maxLength: 6 }), { nil: undefined });
    const id = fc.constantFrom("e1", "e2", "e3");
    const region = fc.constantFrom("us-east-1", "EU_WEST_1", "eu-west-1");
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const endpoint = fc.record({
      region: maybe(region),
      endpointIds: fc.array(id, { maxLength: 2 }),
      hosts: text,
      srv: text,
      optimizedSrv: text,
    });
    const given = fc.record({
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
        endpointId: maybe(id),
        region: maybe(region),
      }),
    );
    const wanted = fc.record({
      network: maybe(network),
      form: fc.constantFrom("srv" as const, "hosts" as const, undefined),
      optimized: maybe(fc.boolean()),
    });
    fc.assert(
      fc.property(given, wanted, (raw, asked) => {
        // As it comes from the service: what is not there has no key.
        const from = JSON.parse(JSON.stringify(raw)) as ClusterStrings;
        const selection = select(from, asked);
        if (selection.kind !== "selected") return;
        const { privateEndpoints, ...named } = from;
        const all = [
          ...Object.values(named),
          ...privateEndpoints.flatMap(({ hosts, srv, optimizedSrv }) => [hosts, srv, optimizedSrv]),
        ];
        assert.ok(all.includes(selection.connectionString));
        assert.ok(
          asked.optimized !== true || selection.connectionStringKind.endsWith("OptimizedSrv"),
        );
      }),
      { numRuns: 2000 },
    );
  });
});
