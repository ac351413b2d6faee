import assert from "node:assert/strict";
import {
  type Classification,
  type ClassifyOptions,
  classify,
  clusterDomain,
} from "../../../provider/src/connectionStrings";

const hosts = {
  form: "hosts",
  projectLabel: "ab1cd",
  domain: "db.example",
  providerLabel: undefined,
  port: 27017,
} as const;
const srv = { ...hosts, form: "srv", port: undefined, node: undefined } as const;
const noNode = ({ node, ...parts }: typeof srv) => parts;
const endpointSrv = noNode(srv);
const node = { of: "shard", shard: "00", index: "00" } as const;

interface Row {
  readonly row: string;
  readonly of: string;
  readonly given?: ClassifyOptions;
  readonly is: Classification;
}

/** The rows of the table in service document 2.6, and what real services add to them. */
const table: Row[] = [
  {
    row: "2.6 standard, host list",
    of: "db://orders-shard-00-00.ab1cd.db.example:27017,orders-shard-00-01.ab1cd.db.example:27017",
    is: { kind: "standard", cluster: "orders", ...hosts, node },
  },
  {
    row: "2.6 standard, SRV form",
    of: "db+srv://orders.ab1cd.db.example",
    is: { kind: "standard", cluster: "orders", ...srv },
  },
  {
    row: "2.6 standard, SRV form, of a cluster with hyphens in its name",
    of: "db+srv://my-orders-2.ab1cd.db.example",
    is: { kind: "standard", cluster: "my-orders-2", ...srv },
  },
  {
    row: "2.6 standard, SRV form, of a cluster with hyphens under a domain of one label",
    of: "db+srv://my-orders.ab1cd.example",
    given: { domain: "example" },
    is: { kind: "standard", cluster: "my-orders", ...srv, domain: "example" },
  },
  {
    row: "2.6 rule 2: standard, host list named by a six-character ID",
    of: "db://ac-x1y2z3a-shard-00-02.ab1cd.db.example:27017/?replicaSet=x1y2z3-shard-0",
    is: { kind: "standard", cluster: "ac-x1y2z3a", ...hosts, node: { ...node, index: "02" } },
  },
  {
    row: "2.6 standard, sharded, with config servers on port 27016",
    of: "db://orders-config-00-01.ab1cd.db.example:27016,orders-shard-01-00.ab1cd.db.example:27016",
    is: {
      kind: "standard",
      cluster: "orders",
      ...hosts,
      port: 27016,
      node: { of: "config", shard: "00", index: "01" },
    },
  },
  {
    row: "2.6 standard, in capitals and with another scheme",
    of: "MONGODB+SRV://Orders.AB1CD.DB.example/app?retryWrites=true",
    is: { kind: "standard", cluster: "orders", ...srv },
  },
  {
    row: "2.6 standard, with credentials",
    of: "db+srv://user:p%40ss@orders.ab1cd.db.example",
    is: { kind: "standard", cluster: "orders", ...srv },
  },
  {
    row: "2.6 rule 9: standard, outside provider A",
    of: "db+srv://orders.ab1cd.gcp.db.example",
    given: { domain: "db.example" },
    is: { kind: "standard", cluster: "orders", ...srv, providerLabel: "gcp" },
  },
  {
    row: "2.6 peering-private, host list",
    of: "db://orders-shard-00-00-pri.ab1cd.db.example:27017",
    is: { kind: "peeringPrivate", cluster: "orders", ...hosts, node },
  },
  {
    row: "2.6 peering-private, SRV form",
    of: "db+srv://orders-pri.ab1cd.db.example",
    is: { kind: "peeringPrivate", cluster: "orders", ...srv },
  },
  {
    row: "2.6 private endpoint, host list",
    of: "db://pl-0-us-east-1.ab1cd.db.example:1024,pl-0-us-east-1.ab1cd.db.example:1025",
    is: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 0,
      region: "us-east-1",
      ...hosts,
      port: 1024,
    },
  },
  {
    row: "2.6 private endpoint, default SRV form",
    of: "db+srv://pl-12-us-east-1.ab1cd.db.example",
    is: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 12,
      region: "us-east-1",
      ...endpointSrv,
    },
  },
  {
    row: "2.6 private endpoint, regionalized SRV form",
    of: "db+srv://my-orders-pl-1-eu-west-1.ab1cd.db.example",
    is: {
      kind: "privateEndpoint",
      cluster: "my-orders",
      endpointIndex: 1,
      region: "eu-west-1",
      ...endpointSrv,
    },
  },
  {
    row: "2.6 private endpoint, SRV form of services that leave the region out",
    of: "db+srv://orders-pl-0.ab1cd.db.example",
    is: {
      kind: "privateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      region: undefined,
      ...endpointSrv,
    },
  },
  {
    row: "2.6 optimized SRV",
    of: "db+srv://orders-pl-0-lb.ab1cd.db.example",
    is: { kind: "optimizedPrivateEndpoint", cluster: "orders", endpointIndex: 0, ...endpointSrv },
  },
  {
    row: "2.6 optimized SRV under a domain of one label",
    of: "db+srv://orders-pl-0-lb.ab1cd.example",
    is: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      ...endpointSrv,
      domain: "example",
    },
  },
  {
    row: "2.6 optimized: `lb` is not a region in a host list",
    of: "db://orders-pl-0-lb.ab1cd.db.example:1024",
    is: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      ...hosts,
      port: 1024,
    },
  },
  {
    row: "2.6 private endpoint before 2020, SRV form",
    of: "db+srv://my-orders-pl-0-ab1cd.db.example",
    is: {
      kind: "privateEndpoint",
      cluster: "my-orders",
      endpointIndex: 0,
      region: undefined,
      legacy: true,
      ...endpointSrv,
    },
  },
  {
    row: "2.6 private endpoint before 2020, host list",
    of: "db://pl-0-us-east-1-ab1cd.db.example:1024,pl-0-us-east-1-ab1cd.db.example:1025",
    is: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 0,
      region: "us-east-1",
      legacy: true,
      ...hosts,
      port: 1024,
    },
  },
  {
    row: "2.6 private endpoint before 2020, under a domain of three labels that is given",
    of: "db+srv://orders-pl-0-ab1cd.eu.db.example",
    given: { domain: "eu.db.example" },
    is: {
      kind: "privateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      region: undefined,
      legacy: true,
      ...endpointSrv,
      domain: "eu.db.example",
    },
  },
  {
    row: "2.6 private endpoint before 2020, outside provider A",
    of: "db://pl-1-eastus2-ab1cd.azure.db.example:1024",
    is: {
      kind: "privateEndpoint",
      cluster: undefined,
      endpointIndex: 1,
      region: "eastus2",
      legacy: true,
      ...hosts,
      providerLabel: "azure",
      port: 1024,
    },
  },
  {
    row: "2.6 optimized, with a hyphen before the project label",
    of: "db+srv://orders-pl-0-lb-ab1cd.db.example",
    is: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      legacy: true,
      ...endpointSrv,
    },
  },
  {
    row: "2.6 optimized, host list with a hyphen before the project label",
    of: "db://orders-pl-0-lb-ab1cd.db.example:1024",
    is: {
      kind: "optimizedPrivateEndpoint",
      cluster: "orders",
      endpointIndex: 0,
      legacy: true,
      ...hosts,
      port: 1024,
    },
  },
  {
    row: "2.6 standard, SRV form, with the trailing dot of a fully qualified name",
    of: "db+srv://orders.ab1cd.db.example.",
    is: { kind: "standard", cluster: "orders", ...srv },
  },
  {
    row: "2.6 standard, host list with trailing dots",
    of: "db://orders-shard-00-00.ab1cd.db.example.:27017,orders-shard-00-01.ab1cd.db.example.:27017",
    is: { kind: "standard", cluster: "orders", ...hosts, node },
  },
  {
    row: "2.6 standard, under a domain given with a trailing dot and in capitals",
    of: "db+srv://orders.ab1cd.db.example",
    given: { domain: "DB.Example." },
    is: { kind: "standard", cluster: "orders", ...srv },
  },
  {
    row: "2.6 standard, several shards and the config servers of one cluster, on two ports",
    of: [
      "db://orders-shard-00-00.ab1cd.db.example:27017",
      "orders-shard-01-02.ab1cd.db.example:27017",
      "orders-config-00-00.ab1cd.db.example:27016",
    ].join(),
    is: { kind: "standard", cluster: "orders", ...hosts, node },
  },
  {
    row: "2.6 rule 10: nodes in two providers of one cluster",
    of: "db://orders-shard-00-00.ab1cd.gcp.db.example:27017,orders-shard-00-03.ab1cd.azure.db.example:27017",
    is: { kind: "standard", cluster: "orders", ...hosts, providerLabel: "gcp", node },
  },
  {
    row: "2.6 legacy, host list",
    of: "db://orders-shard-00-00-ab1cd.db.example:27017",
    is: { kind: "legacy", cluster: "orders", ...hosts, node },
  },
  {
    row: "2.6 legacy, host list of a peered network",
    of: "db://orders-shard-00-00-pri-ab1cd.db.example:27017",
    is: { kind: "legacy", cluster: "orders", ...hosts, node },
  },
  {
    row: "2.6 legacy, SRV form",
    of: "db+srv://my-orders-ab1cd.db.example",
    is: { kind: "legacy", cluster: "my-orders", ...srv },
  },
  {
    row: "2.6 legacy, SRV form, under a domain of three labels",
    of: "db+srv://orders-ab1cd.eu.db.example",
    given: { domain: "eu.db.example" },
    is: { kind: "legacy", cluster: "orders", ...srv, domain: "eu.db.example" },
  },
  {
    row: "2.6 rule 9: legacy outside provider A",
    of: "db+srv://orders-ab1cd.azure.db.example",
    is: { kind: "legacy", cluster: "orders", ...srv, providerLabel: "azure" },
  },
];

const unknown: [what: string, text: string, given?: ClassifyOptions][] = [
  ["text that is no connection string", "hello"],
  ["an empty text", ""],
  ["an address", "db://127.0.0.1:27017"],
  ["an IPv6 address", "db://[::1]:27017"],
  ["a host of its own", "db://localhost:27017"],
  ["an SRV name without a project label", "db+srv://orders.example"],
  ["a name with an empty label", "db+srv://orders..db.example"],
  ["a host outside the domain that is given", "db+srv://a.b.c.d", { domain: "db.example" }],
  [
    "hosts of different kinds",
    "db://orders-shard-00-00.ab1cd.db.example,orders-shard-00-01-pri.ab1cd.db.example",
  ],
  [
    "hosts of different clusters",
    "db://orders-shard-00-00.ab1cd.db.example,billing-shard-00-01.ab1cd.db.example",
  ],
  [
    "hosts named by the IDs of different clusters",
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
  ["a name of dots alone", "db+srv://."],
  [
    "an endpoint name from before 2020 outside the domain that is given",
    "db+srv://orders-pl-0-ab1cd.other.example",
    { domain: "db.example" },
  ],
];

describe("classify", () => {
  for (const { row, of, given, is } of table) {
    it(`knows ${row}, and its parts`, () => {
      assert.deepEqual(classify(of, given), is);
    });
  }

  for (const [what, text, given] of unknown) {
    it(`calls ${what} unknown, and throws nothing`, () => {
      assert.deepEqual(classify(text, given), { kind: "unknown" });
    });
  }

  it("takes a domain of two labels for granted where none is given", () => {
    assert.equal(classify("db+srv://my-orders.ab1cd.example").kind, "legacy");
    assert.equal(classify("db+srv://orders-ab1cd.eu.db.example").kind, "standard");
  });
});

describe("clusterDomain", () => {
  for (const domain of ["example", "db.example", "eu.db.example"]) {
    it(`learns ${domain} from a standard host list`, () => {
      const standard = `db://orders-shard-00-00.ab1cd.${domain}:27017`;
      assert.equal(clusterDomain(["db+srv://my-orders.x.y.z", standard]), domain);
    });
  }

  it("leaves out the label of a provider", () => {
    assert.equal(clusterDomain(["db://a-shard-00-00.ab1cd.gcp.db.example"]), "db.example");
  });

  it("learns nothing from SRV names, which could be read both ways", () => {
    assert.equal(clusterDomain(["db+srv://a-b.c.d", "db+srv://a.b.c.d", "x"]), undefined);
  });

  it("learns nothing from private endpoint names, which had one label less before 2020", () => {
    const names = ["db+srv://orders-pl-0-ab1cd.eu.db.example", "db://pl-0-r-ab1cd.eu.db.example:1"];
    assert.equal(clusterDomain(names), undefined);
  });

  it("learns the domain without its trailing dot", () => {
    assert.equal(clusterDomain(["db://a-shard-00-00.ab1cd.db.example.:1"]), "db.example");
  });
});
