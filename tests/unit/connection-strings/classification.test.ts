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
} as const;
const srv = { ...hosts, form: "srv" } as const;
const ofEndpoint = (cluster: string | undefined, index: number, region?: string, legacy?: true) =>
  ({
    kind: "privateEndpoint",
    cluster,
    endpointIndex: index,
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

/** The hosts of two nodes. */
const nodes = (start: string, end: string) => `${start}0${end},${start}1${end}`;
const one = (text: string): [string] => [text];

/** The strings of service document 2.6, and observed variants. */
const table: [text: string, expected: Classification, options?: ClassifyOptions][] = [
  [`db://${nodes("orders-shard-00-0", ".ab1cd.db.example:27017")}`, { ...standard, ...hosts }],
  ["db+srv://my-orders-2.ab1cd.db.example", { ...standard, cluster: "my-orders-2", ...srv }],
  ["db+srv://orders-lb.ab1cd.db.example", { ...standard, cluster: "orders-lb", ...srv }],
  // Rule 2: an ID instead of the cluster's name.
  [
    "db://ac-x1y2z3a-shard-00-02.ab1cd.db.example:27017/?replicaSet=x1y2z3-shard-0",
    { ...standard, cluster: "ac-x1y2z3a", ...hosts },
  ],
  [
    "db://orders-config-00-01.ab1cd.db.example:27016,orders-shard-01-00.ab1cd.db.example:27017",
    { ...standard, ...hosts },
  ],
  ["OTHER+SRV://Orders.AB1CD.DB.example/app?retryWrites=true", { ...standard, ...srv }],
  // Rule 9: outside provider A.
  ["db+srv://orders.ab1cd.gcp.db.example", { ...standard, ...srv }, { domain: "db.example" }],
  [`db://${nodes("orders-shard-00-0", ".ab1cd.db.example.:27017")}`, { ...standard, ...hosts }],
  ["db+srv://orders.ab1cd.db.example.", { ...standard, ...srv }, { domain: "DB.Example." }],
  // Rule 10: nodes in two providers.
  [
    "db://orders-shard-00-00.ab1cd.gcp.db.example:27017,orders-shard-00-03.ab1cd.azure.db.example:27017",
    { ...standard, ...hosts },
  ],
  // Rule 1: a host list of one name, which only the domain shows.
  [
    "db://my-orders.ab1cd.db.example:27017",
    { ...standard, cluster: "my-orders", ...hosts },
    { domain: "db.example" },
  ],
  ["db://orders-shard-00-00-pri.ab1cd.db.example:27017", { ...peered, ...hosts }],
  ["db+srv://orders-pri.ab1cd.db.example", { ...peered, ...srv }],
  ["db://orders-shard-00-00-ab1cd.db.example:27017", { ...legacy, ...hosts }],
  [
    "db://my-orders-ab1cd.db.example:27017",
    { ...legacy, cluster: "my-orders", ...hosts },
    { domain: "db.example" },
  ],
  ["db://orders-shard-00-00-pri-ab1cd.db.example:27017", { ...legacy, ...hosts }],
  ["db+srv://my-orders-ab1cd.db.example", { ...legacy, cluster: "my-orders", ...srv }],
  ["db+srv://orders-ab1cd.azure.db.example", { ...legacy, ...srv }],
  [
    "db://pl-0-us-east-1.ab1cd.db.example:1024,pl-0-us-east-1.ab1cd.db.example:1025",
    { ...ofEndpoint(undefined, 0, "us-east-1"), ...hosts },
  ],
  [
    "db+srv://pl-12-us-east-1.ab1cd.db.example",
    { ...ofEndpoint(undefined, 12, "us-east-1"), ...srv },
  ],
  [
    "db+srv://my-orders-pl-1-eu-west-1.ab1cd.db.example",
    { ...ofEndpoint("my-orders", 1, "eu-west-1"), ...srv },
  ],
  [
    "db+srv://orders-pl-0-eastus2-azure.ab1cd.db.example",
    { ...ofEndpoint("orders", 0, "eastus2"), ...srv },
  ],
  // A host name for each node.
  ...["us-east1-gcp", "us-east1"].map((region): (typeof table)[number] => [
    `db://${nodes("pl-00-00", `-${region}.ab1cd.db.example:27017`)}`,
    { ...ofEndpoint(undefined, 0, "us-east1"), ...hosts },
  ]),
  [
    `db://${nodes("pl-00-00", ".ab1cd.db.example:27017")}`,
    { ...ofEndpoint(undefined, 0), ...hosts },
  ],
  // From before 2020.
  [
    "db+srv://my-orders-pl-0-ab1cd.db.example",
    { ...ofEndpoint("my-orders", 0, undefined, true), ...srv },
  ],
  [
    "db://pl-0-us-east-1-ab1cd.db.example:1024,pl-0-us-east-1-ab1cd.db.example:1025",
    { ...ofEndpoint(undefined, 0, "us-east-1", true), ...hosts },
  ],
  [
    `db://${nodes("pl-00-00", "-us-east1-gcp-ab1cd.db.example:1024")}`,
    { ...ofEndpoint(undefined, 0, "us-east1", true), ...hosts },
  ],
  [
    "db+srv://orders-pl-0-ab1cd.eu.db.example",
    { ...ofEndpoint("orders", 0, undefined, true), ...srv, domain: "eu.db.example" },
    { domain: "eu.db.example" },
  ],
  // Named after the cluster: port-based endpoints, and those of serverless clusters.
  ["db+srv://shop-psc-0.ab1cd.db.example", { ...ofEndpoint("shop", 0), ...srv }],
  ["db://shop-psc-0.ab1cd.db.example:27018", { ...ofEndpoint("shop", 0), ...hosts }],
  ["db+srv://shop-pe-1.ab1cd.azure.db.example", { ...ofEndpoint("shop", 1), ...srv }],
  [
    "DB+SRV://Shop-PSC-1.ab1cd.example",
    { ...ofEndpoint("shop", 1), ...srv, domain: "example" },
    { domain: "example" },
  ],
  // Clusters with such a name.
  ["db+srv://team-pe-0-pri.ab1cd.db.example", { ...peered, cluster: "team-pe-0", ...srv }],
  [
    "db://team-pe-0-shard-00-00.ab1cd.db.example:27017",
    { ...standard, cluster: "team-pe-0", ...hosts },
  ],
  ["db+srv://team-psc-0-ab1cd.db.example", { ...legacy, cluster: "team-psc-0", ...srv }],
  ["db+srv://psc-0.ab1cd.db.example", { ...standard, cluster: "psc-0", ...srv }],
  // Optimized, because lb is not a region.
  ["db+srv://orders-pl-0-lb.ab1cd.db.example", { ...optimized, ...srv }],
  ["db+srv://orders-pl-0-lb.ab1cd.example", { ...optimized, ...srv, domain: "example" }],
  ["db://orders-pl-0-lb.ab1cd.db.example:1024", { ...optimized, ...hosts }],
  ["db+srv://orders-pl-0-lb-ab1cd.db.example", { ...optimized, legacy: true, ...srv }],
  ["db://orders-pl-0-lb-ab1cd.db.example:1024", { ...optimized, legacy: true, ...hosts }],
];

/** Strings that match no pattern of service document 2.6. */
const unknownStrings: [text: string, options?: ClassifyOptions][] = [
  ...["hello", "", "db://127.0.0.1:27017", "db://[::1]:27017", "db://localhost:27017"].map(one),
  ...["db://localhost.db.example:27017", "db+srv://orders.example", "db+srv://."].map(one),
  ...["db+srv://orders..db.example", "db+srv://orders.ab1cd.db.example.."].map(one),
  ["db+srv://a.b.c.d", { domain: "db.example" }],
  ["db+srv://orders-pl-0-ab1cd.other.example", { domain: "db.example" }],
  ["db://orders-shard-00-00-ab1cd.db.example:27017", { domain: "other.example" }],
  ["db+srv://orders.ab1cd.gcp.db.example", { domain: "other.example" }],
  // Too few labels for a legacy name.
  one("db+srv://orders-ab1cd.example"),
  // Host lists of other services, in which nothing is a pattern of this one.
  ...["db://db.internal.example.com:27017", "postgresql://db.example.com:5432"].map(one),
  ...["db://archived-data-ab1cd.a.query.db.example", "redis://cache-1.db.example"].map(one),
  ["mysql://orders.ab1cd.other.example:3306", { domain: "db.example" }],
  // Hosts of different kinds, clusters, labels, domains, endpoints, regions and clouds.
  ...[
    ["a-shard-00-00.ab1cd.db.example", "a-shard-00-01-pri.ab1cd.db.example"],
    ["a-shard-00-00.ab1cd.db.example", "b-shard-00-01.ab1cd.db.example"],
    ["a-shard-00-00.ab1cd.db.example", "a-shard-00-01.ef2gh.db.example"],
    ["a-shard-00-00.ab1cd.db.example", "a-shard-00-01.ab1cd.other.example"],
    ["pl-0-us-east-1.ab1cd.db.example", "pl-1-us-east-1.ab1cd.db.example"],
    ["pl-0-us-east-1.ab1cd.db.example", "pl-0-eu-west-1.ab1cd.db.example"],
    ["pl-0-us-west2-gcp.ab1cd.db.example", "pl-0-us-west2-azure.ab1cd.db.example"],
    ["a-shard-00-00-ab1cd.db.example", "b-shard-00-01-ab1cd.db.example"],
  ].map((names) => one(`db://${names.join()}`)),
];

describe("classify", () => {
  for (const [text, expected, options] of table) {
    it(`classifies ${text}${options === undefined ? "" : " under a known domain"}`, () => {
      assert.deepEqual(classify(text, options), expected);
    });
  }

  it("assumes a domain of two labels if the domain is unknown", () => {
    assert.equal(classify("db+srv://my-orders.ab1cd.example").kind, "legacy");
    assert.equal(classify("db+srv://orders-ab1cd.eu.db.example").kind, "standard");
  });

  for (const [text, options] of unknownStrings) {
    it(`returns unknown for "${text}"`, () => {
      assert.deepEqual(classify(text, options), { kind: "unknown" });
    });
  }

  it("rejects host names that are longer than DNS allows, whose time would grow with their square", () => {
    for (const part of ["pl-0-", "pl-0-lb-", "a-", "-pri", "a."])
      assert.equal(classify(`db+srv://${part.repeat(100_000)}x.ab1cd.db.example`).kind, "unknown");
  });
});

describe("clusterDomain", () => {
  for (const domain of ["example", "db.example", "eu.db.example"]) {
    it(`returns ${domain} for a standard host list under it`, () => {
      const text = `db://orders-shard-00-00.ab1cd.${domain}.:27017`;
      assert.equal(clusterDomain(["db+srv://my-orders.x.y.z", text]), domain);
    });
  }

  it("returns the domain of a peering-private or optimized name, which is never ambiguous", () => {
    for (const name of ["orders-pri", "orders-pl-0-lb"])
      assert.equal(clusterDomain([`db+srv://${name}.ab1cd.eu.db.example`]), "eu.db.example");
  });

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
