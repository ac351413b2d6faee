import assert from "node:assert/strict";
import {
  type Classification,
  type ClassifyOptions,
  classify,
  clusterDomain,
} from "../../../connection-strings/src";

const hosts = {
  form: "hosts",
  projectLabel: "ab1cd",
  domain: "db.example",
  providerLabel: undefined,
  port: 27017,
} as const;
const endpointHosts = { ...hosts, port: 1024 } as const;
const endpointSrv = { ...hosts, form: "srv", port: undefined } as const;
const srv = { ...endpointSrv, node: undefined } as const;
const node = { of: "shard", shard: "00", index: "00" } as const;
const ofEndpoint = (
  cluster: string | undefined,
  endpointIndex: number,
  region?: string,
  legacy?: true,
) =>
  ({
    kind: "privateEndpoint",
    cluster,
    endpointIndex,
    region,
    ...(legacy && { legacy }),
  }) as const;
const optimized = {
  kind: "optimizedPrivateEndpoint",
  cluster: "orders",
  endpointIndex: 0,
} as const;
const standard = { kind: "standard", cluster: "orders" } as const;
const peered = { kind: "peeringPrivate", cluster: "orders" } as const;
const legacy = { kind: "legacy", cluster: "orders" } as const;

/** The strings of service document 2.6, and observed variants. `what` completes "classifies ...". */
const table: [what: string, text: string, expected: Classification, options?: ClassifyOptions][] = [
  [
    "a standard host list (2.6)",
    "db://orders-shard-00-00.ab1cd.db.example:27017,orders-shard-00-01.ab1cd.db.example:27017",
    { ...standard, ...hosts, node },
  ],
  [
    "a standard SRV form (2.6)",
    "db+srv://my-orders-2.ab1cd.db.example",
    { ...standard, cluster: "my-orders-2", ...srv },
  ],
  [
    "a standard SRV form of a cluster with hyphens under a domain of one label (2.6)",
    "db+srv://my-orders.ab1cd.example",
    { ...standard, cluster: "my-orders", ...srv, domain: "example" },
    { domain: "example" },
  ],
  [
    "a standard host list whose names contain an ID instead of the cluster name (2.6 rule 2)",
    "db://ac-x1y2z3a-shard-00-02.ab1cd.db.example:27017/?replicaSet=x1y2z3-shard-0",
    { ...standard, cluster: "ac-x1y2z3a", ...hosts, node: { ...node, index: "02" } },
  ],
  [
    "a standard host list with config servers on port 27016 (2.6)",
    "db://orders-config-00-01.ab1cd.db.example:27016,orders-shard-01-00.ab1cd.db.example:27017",
    { ...standard, ...hosts, port: 27016, node: { of: "config", shard: "00", index: "01" } },
  ],
  [
    "a standard SRV form in capitals with another scheme (2.6)",
    "OTHER+SRV://Orders.AB1CD.DB.example/app?retryWrites=true",
    { ...standard, ...srv },
  ],
  [
    "a standard SRV form with credentials (2.6)",
    "db+srv://user:p%40ss@orders.ab1cd.db.example",
    { ...standard, ...srv },
  ],
  [
    "a standard SRV form outside provider A (2.6 rule 9)",
    "db+srv://orders.ab1cd.gcp.db.example",
    { ...standard, ...srv, providerLabel: "gcp" },
    { domain: "db.example" },
  ],
  [
    "a standard host list with trailing dots (2.6)",
    "db://orders-shard-00-00.ab1cd.db.example.:27017,orders-shard-00-01.ab1cd.db.example.:27017",
    { ...standard, ...hosts, node },
  ],
  [
    "a standard SRV form under a domain written in capitals with a trailing dot (2.6)",
    "db+srv://orders.ab1cd.db.example.",
    { ...standard, ...srv },
    { domain: "DB.Example." },
  ],
  [
    "a standard SRV form under an internationalized domain (2.6)",
    "db+srv://orders.ab1cd.BÜCHER.example",
    { ...standard, ...srv, domain: "bücher.example" },
  ],
  [
    "a standard host list with nodes in two providers (2.6 rule 10)",
    "db://orders-shard-00-00.ab1cd.gcp.db.example:27017,orders-shard-00-03.ab1cd.azure.db.example:27017",
    { ...standard, ...hosts, providerLabel: "gcp", node },
  ],
  [
    "a standard host list of one name (2.6 rule 1)",
    "db://my-orders.ab1cd.db.example:27017",
    { ...standard, cluster: "my-orders", ...hosts, node: undefined },
  ],
  [
    "a peering-private host list (2.6)",
    "db://orders-shard-00-00-pri.ab1cd.db.example:27017",
    { ...peered, ...hosts, node },
  ],
  [
    "a peering-private SRV form (2.6)",
    "db+srv://orders-pri.ab1cd.db.example",
    { ...peered, ...srv },
  ],
  [
    "a legacy host list (2.6)",
    "db://orders-shard-00-00-ab1cd.db.example:27017",
    { ...legacy, ...hosts, node },
  ],
  [
    "a legacy host list under a domain of one label (2.6)",
    "db://orders-shard-00-00-ab1cd.example:27017",
    { ...legacy, ...hosts, domain: "example", node },
  ],
  [
    "a legacy host list of one name, as in the table (2.6)",
    "db://my-orders-ab1cd.db.example:27017",
    { ...legacy, cluster: "my-orders", ...hosts, node: undefined },
  ],
  [
    "a legacy peering-private host list (2.6)",
    "db://orders-shard-00-00-pri-ab1cd.db.example:27017",
    { ...legacy, ...hosts, node },
  ],
  [
    "a legacy SRV form (2.6)",
    "db+srv://my-orders-ab1cd.db.example",
    { ...legacy, cluster: "my-orders", ...srv },
  ],
  [
    "a legacy peering-private SRV form (2.6)",
    "db+srv://orders-pri-ab1cd.db.example",
    { ...legacy, ...srv },
  ],
  [
    "a legacy SRV form under a known domain of three labels (2.6)",
    "db+srv://orders-ab1cd.eu.db.example",
    { ...legacy, ...srv, domain: "eu.db.example" },
    { domain: "eu.db.example" },
  ],
  [
    "a legacy SRV form outside provider A (2.6 rule 9)",
    "db+srv://orders-ab1cd.azure.db.example",
    { ...legacy, ...srv, providerLabel: "azure" },
  ],
  [
    "a private endpoint host list (2.6)",
    "db://pl-0-us-east-1.ab1cd.db.example:1024,pl-0-us-east-1.ab1cd.db.example:1025",
    { ...ofEndpoint(undefined, 0, "us-east-1"), ...endpointHosts },
  ],
  [
    "a private endpoint SRV form without a cluster name (2.6)",
    "db+srv://pl-12-us-east-1.ab1cd.db.example",
    { ...ofEndpoint(undefined, 12, "us-east-1"), ...endpointSrv },
  ],
  [
    "a regionalized private endpoint SRV form (2.6)",
    "db+srv://my-orders-pl-1-eu-west-1.ab1cd.db.example",
    { ...ofEndpoint("my-orders", 1, "eu-west-1"), ...endpointSrv },
  ],
  [
    "a private endpoint SRV form without a region (2.6)",
    "db+srv://orders-pl-0.ab1cd.db.example",
    { ...ofEndpoint("orders", 0), ...endpointSrv },
  ],
  [
    "a private endpoint SRV form that names the provider (2.6)",
    "db+srv://orders-pl-0-eastus2-azure.ab1cd.db.example",
    { ...ofEndpoint("orders", 0, "eastus2"), ...endpointSrv },
  ],
  ...["us-east1-gcp", "us-east1"].map((region): (typeof table)[number] => [
    `a private endpoint host list with nodes in ${region} (2.6)`,
    `db://pl-00-000-${region}.ab1cd.db.example:27017,pl-00-001-${region}.ab1cd.db.example:27017`,
    { ...ofEndpoint(undefined, 0, "us-east1"), ...hosts },
  ]),
  [
    "a private endpoint host list with nodes, but without a region (2.6)",
    "db://pl-00-000.ab1cd.db.example:27017,pl-00-001.ab1cd.db.example:27017",
    { ...ofEndpoint(undefined, 0), ...hosts },
  ],
  [
    "a private endpoint SRV form from before 2020 (2.6)",
    "db+srv://my-orders-pl-0-ab1cd.db.example",
    { ...ofEndpoint("my-orders", 0, undefined, true), ...endpointSrv },
  ],
  [
    "a private endpoint host list from before 2020 (2.6)",
    "db://pl-0-us-east-1-ab1cd.db.example:1024,pl-0-us-east-1-ab1cd.db.example:1025",
    { ...ofEndpoint(undefined, 0, "us-east-1", true), ...endpointHosts },
  ],
  [
    "a private endpoint host list with nodes from before 2020 (2.6)",
    "db://pl-00-000-us-east1-gcp-ab1cd.db.example:1024,pl-00-001-us-east1-gcp-ab1cd.db.example:1024",
    { ...ofEndpoint(undefined, 0, "us-east1", true), ...endpointHosts },
  ],
  [
    "a private endpoint string from before 2020 under a known domain of three labels (2.6)",
    "db+srv://orders-pl-0-ab1cd.eu.db.example",
    { ...ofEndpoint("orders", 0, undefined, true), ...endpointSrv, domain: "eu.db.example" },
    { domain: "eu.db.example" },
  ],
  [
    "a private endpoint string from before 2020 outside provider A (2.6)",
    "db://pl-1-eastus2-ab1cd.azure.db.example:1024",
    { ...ofEndpoint(undefined, 1, "eastus2", true), ...endpointHosts, providerLabel: "azure" },
  ],
  [
    "an optimized SRV form (2.6)",
    "db+srv://orders-pl-0-lb.ab1cd.db.example",
    { ...optimized, ...endpointSrv },
  ],
  [
    "an optimized SRV form under a domain of one label (2.6)",
    "db+srv://orders-pl-0-lb.ab1cd.example",
    { ...optimized, ...endpointSrv, domain: "example" },
  ],
  [
    "a host list with lb in its names as optimized, not as the region lb (2.6)",
    "db://orders-pl-0-lb.ab1cd.db.example:1024",
    { ...optimized, ...endpointHosts },
  ],
  [
    "an optimized SRV form with a hyphen before the project label (2.6)",
    "db+srv://orders-pl-0-lb-ab1cd.db.example",
    { ...optimized, legacy: true, ...endpointSrv },
  ],
  [
    "an optimized host list with a hyphen before the project label (2.6)",
    "db://orders-pl-0-lb-ab1cd.db.example:1024",
    { ...optimized, legacy: true, ...endpointHosts },
  ],
];

/** Strings that match no pattern of service document 2.6. */
const unknownStrings: [what: string, text: string, options?: ClassifyOptions][] = [
  ["text that is not a connection string", "hello"],
  ["empty text", ""],
  ["an IPv4 address", "db://127.0.0.1:27017"],
  ["an IPv6 address", "db://[::1]:27017"],
  ["a host name of one label", "db://localhost:27017"],
  ["a host name of three labels", "db://localhost.db.example:27017"],
  ["an SRV name without a project label", "db+srv://orders.example"],
  ["a name with an empty label", "db+srv://orders..db.example"],
  ["a name with two trailing dots", "db+srv://orders.ab1cd.db.example.."],
  ["a name that consists of a dot", "db+srv://."],
  ["a host outside the known domain", "db+srv://a.b.c.d", { domain: "db.example" }],
  [
    "an endpoint name from before 2020 outside the known domain",
    "db+srv://orders-pl-0-ab1cd.other.example",
    { domain: "db.example" },
  ],
  ...(
    [
      ["different kinds", "a-shard-00-00.ab1cd.db.example", "a-shard-00-01-pri.ab1cd.db.example"],
      ["different kinds of name", "a-shard-00-00.ab1cd.db.example", "a-pri.ab1cd.db.example"],
      ["different clusters", "a-shard-00-00.ab1cd.db.example", "b-shard-00-01.ab1cd.db.example"],
      ["different labels", "a-shard-00-00.ab1cd.db.example", "a-shard-00-01.ef2gh.db.example"],
      ["different domains", "a-shard-00-00.ab1cd.db.example", "a-shard-00-01.ab1cd.other.example"],
      ["different endpoints", "pl-0-us-east-1.ab1cd.db.example", "pl-1-us-east-1.ab1cd.db.example"],
      ["different regions", "pl-0-us-east-1.ab1cd.db.example", "pl-0-eu-west-1.ab1cd.db.example"],
      [
        "different legacy clusters",
        "a-shard-00-00-ab1cd.db.example",
        "b-shard-00-01-ab1cd.db.example",
      ],
    ] as const
  ).map(([what, one, other]): [string, string] => [`hosts of ${what}`, `db://${one},${other}`]),
];

describe("classify", () => {
  for (const [what, text, expected, options] of table) {
    it(`classifies ${what}`, () => {
      assert.deepEqual(classify(text, options), expected);
    });
  }

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
      const text = `db://orders-shard-00-00.ab1cd.${domain}.:27017`;
      assert.equal(clusterDomain(["db+srv://my-orders.x.y.z", text]), domain);
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
});
