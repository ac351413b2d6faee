import assert from "node:assert/strict";
import { type ClassifyOptions, classify, clusterDomain } from "../../../connection-strings/src";

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
  for (const [what, text, given] of unknown) {
    it(`calls ${what} unknown, and throws nothing`, () => {
      assert.deepEqual(classify(text, given), { kind: "unknown" });
    });
  }
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
