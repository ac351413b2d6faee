import assert from "node:assert/strict";
import { type Classification, classify } from "../../../provider/src/connectionStrings";

const table: [what: string, connectionString: string, expected: Classification][] = [
  [
    "standard, host list",
    "db://orders-shard-00-00.ab1cd.db.example:27017,orders-shard-00-01.ab1cd.db.example:27017",
    { kind: "standard", cluster: "orders" },
  ],
  ["standard, SRV", "db+srv://orders.ab1cd.db.example", { kind: "standard", cluster: "orders" }],
  [
    "standard, SRV, with hyphens in the cluster's name",
    "db+srv://my-orders-2.ab1cd.db.example",
    { kind: "standard", cluster: "my-orders-2" },
  ],
  [
    "standard, sharded, with config servers on port 27016",
    "db://ac-x1y2z3a-config-00-00.ab1cd.db.example:27016",
    { kind: "standard", cluster: "ac-x1y2z3a" },
  ],
  [
    "peering-private, host list",
    "db://orders-shard-00-00-pri.ab1cd.db.example:27017",
    { kind: "peeringPrivate", cluster: "orders" },
  ],
  [
    "peering-private, SRV",
    "db+srv://orders-pri.ab1cd.db.example",
    { kind: "peeringPrivate", cluster: "orders" },
  ],
  [
    "private endpoint, host list",
    "db://pl-0-us-east-1.ab1cd.db.example:1024",
    { kind: "privateEndpoint", index: 0, region: "us-east-1" },
  ],
  [
    "private endpoint, regionalized SRV",
    "db+srv://orders-pl-1-eu-west-1.ab1cd.db.example",
    { kind: "privateEndpoint", index: 1, region: "eu-west-1" },
  ],
  [
    "private endpoint, SRV without region",
    "db+srv://orders-pl-0.ab1cd.db.example",
    { kind: "privateEndpoint", index: 0, region: undefined },
  ],
  [
    "optimized SRV",
    "db+srv://orders-pl-0-lb.ab1cd.db.example",
    { kind: "optimizedPrivateEndpoint", cluster: "orders", index: 0 },
  ],
  [
    "legacy, host list",
    "db://orders-shard-00-00-ab1cd.db.example:27017",
    { kind: "legacy", cluster: "orders" },
  ],
  ["legacy, SRV", "db+srv://orders-ab1cd.db.example", { kind: "legacy", cluster: "orders" }],
  [
    "legacy in provider C, SRV",
    "db+srv://orders-ab1cd.azure.db.example",
    { kind: "legacy", cluster: "orders" },
  ],
  ["no connection string", "hello", { kind: "unknown" }],
  ["a form of its own", "db://127.0.0.1:27017", { kind: "unknown" }],
];

describe("classify", () => {
  for (const [what, connectionString, expected] of table) {
    it(`knows ${what}`, () => {
      assert.deepEqual(classify(connectionString), expected);
    });
  }
});
