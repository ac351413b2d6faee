import assert from "node:assert/strict";
import { type ClassifyOptions, classify, clusterDomain } from "../../../connection-strings/src";
import { type Row, hosts, node, srv, testRows } from "./classificationTable";

/** Standard, peering-private and legacy strings of service document 2.6, with observed variants. */
const table: Row[] = [
  {
    what: "a standard host list (2.6)",
    text: "db://orders-shard-00-00.ab1cd.db.example:27017,orders-shard-00-01.ab1cd.db.example:27017",
    expected: { kind: "standard", cluster: "orders", ...hosts, node },
  },
  {
    what: "a standard SRV form (2.6)",
    text: "db+srv://orders.ab1cd.db.example",
    expected: { kind: "standard", cluster: "orders", ...srv },
  },
  {
    what: "a standard SRV form of a cluster with hyphens in its name (2.6)",
    text: "db+srv://my-orders-2.ab1cd.db.example",
    expected: { kind: "standard", cluster: "my-orders-2", ...srv },
  },
  {
    what: "a standard SRV form of a cluster with hyphens under a domain of one label (2.6)",
    text: "db+srv://my-orders.ab1cd.example",
    options: { domain: "example" },
    expected: { kind: "standard", cluster: "my-orders", ...srv, domain: "example" },
  },
  {
    what: "a standard host list whose names contain an ID instead of the cluster name (2.6 rule 2)",
    text: "db://ac-x1y2z3a-shard-00-02.ab1cd.db.example:27017/?replicaSet=x1y2z3-shard-0",
    expected: { kind: "standard", cluster: "ac-x1y2z3a", ...hosts, node: { ...node, index: "02" } },
  },
  {
    what: "a standard host list with config servers on port 27016 (2.6)",
    text: "db://orders-config-00-01.ab1cd.db.example:27016,orders-shard-01-00.ab1cd.db.example:27016",
    expected: {
      kind: "standard",
      cluster: "orders",
      ...hosts,
      port: 27016,
      node: { of: "config", shard: "00", index: "01" },
    },
  },
  {
    what: "a standard SRV form in capitals with another scheme (2.6)",
    text: "OTHER+SRV://Orders.AB1CD.DB.example/app?retryWrites=true",
    expected: { kind: "standard", cluster: "orders", ...srv },
  },
  {
    what: "a standard SRV form with credentials (2.6)",
    text: "db+srv://user:p%40ss@orders.ab1cd.db.example",
    expected: { kind: "standard", cluster: "orders", ...srv },
  },
  {
    what: "a standard SRV form outside provider A (2.6 rule 9)",
    text: "db+srv://orders.ab1cd.gcp.db.example",
    options: { domain: "db.example" },
    expected: { kind: "standard", cluster: "orders", ...srv, providerLabel: "gcp" },
  },
  {
    what: "a peering-private host list (2.6)",
    text: "db://orders-shard-00-00-pri.ab1cd.db.example:27017",
    expected: { kind: "peeringPrivate", cluster: "orders", ...hosts, node },
  },
  {
    what: "a peering-private SRV form (2.6)",
    text: "db+srv://orders-pri.ab1cd.db.example",
    expected: { kind: "peeringPrivate", cluster: "orders", ...srv },
  },
  {
    what: "a standard SRV form with the trailing dot of a fully qualified name (2.6)",
    text: "db+srv://orders.ab1cd.db.example.",
    expected: { kind: "standard", cluster: "orders", ...srv },
  },
  {
    what: "a standard host list with trailing dots (2.6)",
    text: "db://orders-shard-00-00.ab1cd.db.example.:27017,orders-shard-00-01.ab1cd.db.example.:27017",
    expected: { kind: "standard", cluster: "orders", ...hosts, node },
  },
  {
    what: "a standard SRV form under a domain written in capitals with a trailing dot (2.6)",
    text: "db+srv://orders.ab1cd.db.example",
    options: { domain: "DB.Example." },
    expected: { kind: "standard", cluster: "orders", ...srv },
  },
  {
    what: "a standard host list with several shards and config servers on two ports (2.6)",
    text: [
      "db://orders-shard-00-00.ab1cd.db.example:27017",
      "orders-shard-01-02.ab1cd.db.example:27017",
      "orders-config-00-00.ab1cd.db.example:27016",
    ].join(),
    expected: { kind: "standard", cluster: "orders", ...hosts, node },
  },
  {
    what: "a standard host list with nodes in two providers (2.6 rule 10)",
    text: "db://orders-shard-00-00.ab1cd.gcp.db.example:27017,orders-shard-00-03.ab1cd.azure.db.example:27017",
    expected: { kind: "standard", cluster: "orders", ...hosts, providerLabel: "gcp", node },
  },
  {
    what: "a legacy host list (2.6)",
    text: "db://orders-shard-00-00-ab1cd.db.example:27017",
    expected: { kind: "legacy", cluster: "orders", ...hosts, node },
  },
  {
    what: "a legacy host list of one name, as in the table (2.6)",
    text: "db://my-orders-ab1cd.db.example:27017",
    expected: { kind: "legacy", cluster: "my-orders", ...hosts, node: undefined },
  },
  {
    what: "a standard host list of one name (2.6 rule 1)",
    text: "db://my-orders.ab1cd.db.example:27017",
    expected: { kind: "standard", cluster: "my-orders", ...hosts, node: undefined },
  },
  {
    what: "a legacy peering-private SRV form (2.6)",
    text: "db+srv://orders-pri-ab1cd.db.example",
    expected: { kind: "legacy", cluster: "orders", ...srv },
  },
  {
    what: "a standard SRV form under an internationalized domain (2.6)",
    text: "db+srv://orders.ab1cd.BÜCHER.example",
    expected: { kind: "standard", cluster: "orders", ...srv, domain: "bücher.example" },
  },
  {
    what: "a legacy peering-private host list (2.6)",
    text: "db://orders-shard-00-00-pri-ab1cd.db.example:27017",
    expected: { kind: "legacy", cluster: "orders", ...hosts, node },
  },
  {
    what: "a legacy SRV form (2.6)",
    text: "db+srv://my-orders-ab1cd.db.example",
    expected: { kind: "legacy", cluster: "my-orders", ...srv },
  },
  {
    what: "a legacy SRV form under a known domain of three labels (2.6)",
    text: "db+srv://orders-ab1cd.eu.db.example",
    options: { domain: "eu.db.example" },
    expected: { kind: "legacy", cluster: "orders", ...srv, domain: "eu.db.example" },
  },
  {
    what: "a legacy SRV form outside provider A (2.6 rule 9)",
    text: "db+srv://orders-ab1cd.azure.db.example",
    expected: { kind: "legacy", cluster: "orders", ...srv, providerLabel: "azure" },
  },
];

/** Strings that match no pattern of service document 2.6. */
const unknownStrings: [what: string, text: string, options?: ClassifyOptions][] = [
  ["text that is not a connection string", "hello"],
  ["empty text", ""],
  ["an IPv4 address", "db://127.0.0.1:27017"],
  ["an IPv6 address", "db://[::1]:27017"],
  ["a host name of one label", "db://localhost:27017"],
  ["a host name of three labels", "db://localhost.db.example:27017"],
  [
    "a list of a node and a name without one",
    "db://a-shard-00-00.ab1cd.db.example,a-pri.ab1cd.db.example",
  ],
  ["an SRV name without a project label", "db+srv://orders.example"],
  ["a name with an empty label", "db+srv://orders..db.example"],
  ["a host outside the known domain", "db+srv://a.b.c.d", { domain: "db.example" }],
  [
    "hosts of different kinds",
    "db://orders-shard-00-00.ab1cd.db.example,orders-shard-00-01-pri.ab1cd.db.example",
  ],
  [
    "hosts of different clusters",
    "db://orders-shard-00-00.ab1cd.db.example,billing-shard-00-01.ab1cd.db.example",
  ],
  [
    "hosts whose names contain the IDs of different clusters",
    "db://ac-x1y2z3a-shard-00-00.ab1cd.db.example,ac-b4c5d6e-shard-00-01.ab1cd.db.example",
  ],
  [
    "hosts of different project labels",
    "db://orders-shard-00-00.ab1cd.db.example,orders-shard-00-01.ef2gh.db.example",
  ],
  [
    "hosts of different domains",
    "db://orders-shard-00-00.ab1cd.db.example,orders-shard-00-01.ab1cd.other.example",
  ],
  [
    "hosts of different endpoint indexes",
    "db://pl-0-us-east-1.ab1cd.db.example:1024,pl-1-us-east-1.ab1cd.db.example:1025",
  ],
  [
    "hosts of different endpoint regions",
    "db://pl-0-us-east-1.ab1cd.db.example:1024,pl-0-eu-west-1.ab1cd.db.example:1025",
  ],
  [
    "legacy hosts of different clusters",
    "db://orders-shard-00-00-ab1cd.db.example,billing-shard-00-01-ab1cd.db.example",
  ],
  ["a name with two trailing dots", "db+srv://orders.ab1cd.db.example.."],
  ["a name that consists of a dot", "db+srv://."],
  [
    "an endpoint name from before 2020 outside the known domain",
    "db+srv://orders-pl-0-ab1cd.other.example",
    { domain: "db.example" },
  ],
];

describe("classify", () => {
  testRows(table);

  it("assumes a domain of two labels if the domain is unknown", () => {
    assert.equal(classify("db+srv://my-orders.ab1cd.example").kind, "legacy");
    assert.equal(classify("db+srv://orders-ab1cd.eu.db.example").kind, "standard");
  });

  for (const [what, text, options] of unknownStrings) {
    it(`returns unknown for ${what}`, () => {
      assert.deepEqual(classify(text, options), { kind: "unknown" });
    });
  }
});

describe("clusterDomain", () => {
  for (const domain of ["example", "db.example", "eu.db.example"]) {
    it(`returns ${domain} for a standard host list under it`, () => {
      const standard = `db://orders-shard-00-00.ab1cd.${domain}:27017`;
      assert.equal(clusterDomain(["db+srv://my-orders.x.y.z", standard]), domain);
    });
  }

  it("omits the provider label", () => {
    assert.equal(clusterDomain(["db://a-shard-00-00.ab1cd.gcp.db.example"]), "db.example");
  });

  it("returns undefined for names without a node, which are ambiguous", () => {
    const names = ["db+srv://a-b.c.d", "db+srv://a.b.c.d", "db://a-b.c.d", "db://a-b.c.d.e", "x"];
    assert.equal(clusterDomain(names), undefined);
  });

  it("returns undefined for private endpoint names, which are ambiguous", () => {
    const names = ["db+srv://orders-pl-0-ab1cd.eu.db.example", "db://pl-0-r-ab1cd.eu.db.example:1"];
    assert.equal(clusterDomain(names), undefined);
  });

  it("omits a trailing dot", () => {
    assert.equal(clusterDomain(["db://a-shard-00-00.ab1cd.db.example.:1"]), "db.example");
  });
});
