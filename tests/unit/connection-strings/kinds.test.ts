import assert from "node:assert/strict";
import { classify } from "../../../connection-strings/src";
import { type Row, hosts, node, srv, testRows } from "./kindRows";

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

describe("classify", () => {
  testRows(table);

  it("takes a domain of two labels for granted where none is given", () => {
    assert.equal(classify("db+srv://my-orders.ab1cd.example").kind, "legacy");
    assert.equal(classify("db+srv://orders-ab1cd.eu.db.example").kind, "standard");
  });
});
