import assert from "node:assert/strict";
import fc from "fast-check";
import { clusterStrings } from "../../../connection-strings/src";

const standard = "db://orders-shard-00-00.ab1cd.db.example:27017";
const standardSrv = "db+srv://orders.ab1cd.db.example";

describe("clusterStrings", () => {
  it("gives every string by kind, to the letter", () => {
    const given = {
      standard,
      standardSrv,
      private: "db://orders-shard-00-00-pri.ab1cd.db.example:27017",
      privateSrv: "db+srv://orders-pri.ab1cd.db.example",
    };
    assert.deepEqual(clusterStrings({ ...given, privateEndpoint: [] }), {
      ...given,
      privateEndpoints: [],
    });
  });

  it("gives none of a cluster that is being created", () => {
    assert.deepEqual(clusterStrings(undefined), { privateEndpoints: [] });
    assert.deepEqual(clusterStrings({}), { privateEndpoints: [] });
  });

  it("gives a private endpoint with index, region, ids and its three strings", () => {
    const endpoint = {
      connectionString: "db://pl-0-us-east-1.ab1cd.db.example:1024",
      srvConnectionString: "db+srv://orders-pl-0-us-east-1.ab1cd.db.example",
      srvShardOptimizedConnectionString: "db+srv://orders-pl-0-lb.ab1cd.db.example",
      type: "ROUTER",
      endpoints: [{ endpointId: "vpce-1", providerName: "A", region: "US_EAST_1" }],
    };
    assert.deepEqual(clusterStrings({ privateEndpoint: [endpoint] }).privateEndpoints, [
      {
        index: 0,
        region: "US_EAST_1",
        endpointIds: ["vpce-1"],
        hosts: endpoint.connectionString,
        srv: endpoint.srvConnectionString,
        optimizedSrv: endpoint.srvShardOptimizedConnectionString,
      },
    ]);
  });

  it("takes the region from the host name where the service names none", () => {
    const connectionString = "db://pl-3-eu-west-1.ab1cd.db.example:1024";
    assert.deepEqual(clusterStrings({ privateEndpoint: [{ connectionString }] }).privateEndpoints, [
      { index: 3, region: "eu-west-1", endpointIds: [], hosts: connectionString },
    ]);
  });

  it("orders private endpoints by index, whatever their order in the answer", () => {
    const of = (index: number) => ({
      connectionString: `db://pl-${index}-eu-west-1.ab1cd.db.example:1024`,
    });
    const indexes = (order: number[]) =>
      clusterStrings({ privateEndpoint: order.map(of) }).privateEndpoints.map(({ index }) => index);
    assert.deepEqual(indexes([10, 2, 0]), [0, 2, 10]);
  });

  it("orders those of equal index the same way, whatever their order in the answer", () => {
    const of = (region: string) => ({
      connectionString: `db://pl-0-${region}.ab1cd.db.example:1024`,
    });
    const regions = (order: string[]) =>
      clusterStrings({ privateEndpoint: order.map(of) }).privateEndpoints.map(
        ({ region }) => region,
      );
    assert.deepEqual(regions(["us-east-1", "eu-west-1"]), ["eu-west-1", "us-east-1"]);
    assert.deepEqual(regions(["eu-west-1", "us-east-1"]), ["eu-west-1", "us-east-1"]);
  });

  it("merges the deprecated maps where the array lacks an endpoint, its id or a string", () => {
    const hosts = (index: number) => `db://pl-${index}-us-east-1.ab1cd.db.example:1024`;
    const srv = (index: number) => `db+srv://orders-pl-${index}-us-east-1.ab1cd.db.example`;
    const { privateEndpoints, others } = clusterStrings({
      privateEndpoint: [
        { connectionString: hosts(0), endpoints: [{ endpointId: "vpce-0" }] },
        { connectionString: hosts(1) },
      ],
      awsPrivateLink: { "vpce-0": "db://other", "vpce-1": hosts(1), "vpce-2": hosts(2) },
      awsPrivateLinkSrv: { "vpce-0": srv(0), "vpce-2": srv(2) },
    });
    const region = "us-east-1";
    assert.deepEqual(privateEndpoints, [
      {
        index: 0,
        region,
        endpointIds: ["vpce-0"],
        hosts: hosts(0),
        srv: srv(0),
        others: { awsPrivateLink: { "vpce-0": "db://other" } },
      },
      { index: 1, region, endpointIds: ["vpce-1"], hosts: hosts(1) },
      { index: 2, region, endpointIds: ["vpce-2"], hosts: hosts(2), srv: srv(2) },
    ]);
    assert.equal(others, undefined);
  });

  it("knows legacy strings by the name that a service gives them (2.6 rule 7)", () => {
    const legacy = "db://orders-shard-00-00-ab1cd.db.example:27017";
    const legacySrv = "db+srv://orders-ab1cd.db.example";
    const found = clusterStrings({ standard, standardSrv, legacy, legacySrv });
    assert.deepEqual(found, { standard, standardSrv, legacy, legacySrv, privateEndpoints: [] });
  });

  it("knows legacy strings by their form, under any name and domain (2.6 rule 1)", () => {
    const host = (name: string) => `db+srv://${name}.eu.db.example`;
    const found = clusterStrings({
      standard: "db://my-orders-shard-00-00.ab1cd.eu.db.example:27017",
      standardSrv: host("my-orders.ab1cd"),
      oldSrv: host("my-orders-ab1cd"),
      standardLegacy: "db://my-orders-shard-00-00-ab1cd.eu.db.example:27017",
    });
    assert.equal(found.legacySrv, host("my-orders-ab1cd"));
    assert.equal(found.legacy, "db://my-orders-shard-00-00-ab1cd.eu.db.example:27017");
    assert.equal(found.others, undefined);
  });

  it("takes no peering-private string for a legacy one", () => {
    const privateSrv = "db+srv://orders-pri-ab1cd.db.example";
    assert.deepEqual(clusterStrings({ privateSrv }), { privateSrv, privateEndpoints: [] });
  });

  it("keeps strings and fields that it does not know, by their own names", () => {
    const others = { gateway: "db://gw.example:443", more: { a: ["db+srv://x.y.z"] } };
    const found = clusterStrings({ standardSrv, ...others, empty: null });
    assert.deepEqual(found, { standardSrv, privateEndpoints: [], others });
  });

  it("keeps strings of a private endpoint that it does not know", () => {
    const endpoint = { endpoints: [], type: "NODE", mappedString: "db://a.b.c.d:1" };
    assert.deepEqual(clusterStrings({ privateEndpoint: [endpoint] }).privateEndpoints, [
      { endpointIds: [], others: { mappedString: "db://a.b.c.d:1" } },
    ]);
  });

  it("reads the index and region of endpoints under another domain than the cluster's", () => {
    const connectionString = "db://pl-2-eu-west-1.ab1cd.endpoints.example:1024";
    assert.deepEqual(
      clusterStrings({ standard, privateEndpoint: [{ connectionString }] }).privateEndpoints,
      [{ index: 2, region: "eu-west-1", endpointIds: [], hosts: connectionString }],
    );
  });

  it("treats strings of an endpoint from before 2020 as that endpoint's", () => {
    const connectionString = "db://pl-0-us-east-1-ab1cd.eu.db.example:1024";
    const srvConnectionString = "db+srv://orders-pl-0-ab1cd.eu.db.example";
    const found = clusterStrings({
      standard: "db://orders-shard-00-00-ab1cd.eu.db.example:27017",
      privateEndpoint: [{ connectionString, srvConnectionString }],
      older: srvConnectionString,
    });
    assert.deepEqual(found.privateEndpoints, [
      {
        index: 0,
        region: "us-east-1",
        endpointIds: [],
        hosts: connectionString,
        srv: srvConnectionString,
      },
    ]);
    assert.equal(found.legacySrv, undefined);
    assert.deepEqual(found.others, { older: srvConnectionString });
  });

  it("takes no inherited property of a map for the string of an endpoint", () => {
    const connectionString = "db://pl-0-eu-west-1.ab1cd.db.example:1024";
    const endpoints = [{ endpointId: "constructor" }, { endpointId: "toString" }];
    const found = clusterStrings({
      privateEndpoint: [{ connectionString, endpoints }],
      awsPrivateLinkSrv: {},
    });
    assert.deepEqual(found.privateEndpoints, [
      {
        index: 0,
        region: "eu-west-1",
        endpointIds: ["constructor", "toString"],
        hosts: connectionString,
      },
    ]);
  });

  it("does not give a record the id of another by a string that they share", () => {
    const srvConnectionString = "db+srv://orders-pl-0.ab1cd.db.example";
    const record = (endpointId: string) => ({ srvConnectionString, endpoints: [{ endpointId }] });
    const { privateEndpoints } = clusterStrings({
      privateEndpoint: [record("vpce-1"), record("vpce-2")],
      awsPrivateLinkSrv: { "vpce-1": srvConnectionString },
    });
    assert.deepEqual(
      privateEndpoints.map(({ endpointIds }) => endpointIds),
      [["vpce-1"], ["vpce-2"]],
    );
  });

  it("drops no string, whatever the service calls it (property)", () => {
    const label = fc.string({
      unit: fc.constantFrom(...Array.from("ab1-")),
      minLength: 1,
      maxLength: 8,
    });
    const uri = fc.oneof(
      label.map((name) => `db+srv://${name}.ab1cd.db.example`),
      label.map((name) => `db://${name}-shard-00-00-ab1cd.db.example:1`),
      label.map((name) => `db+srv://${name}.db.example`),
    );
    const field = fc.constantFrom("standard", "standardSrv", "private", "legacy", "a", "b", "c");
    fc.assert(
      fc.property(fc.dictionary(field, uri, { noNullPrototype: true }), (given) => {
        const { privateEndpoints, others = {}, ...named } = clusterStrings(given);
        const kept = [...Object.values(named), ...Object.values(others)];
        for (const text of Object.values(given)) assert.ok(kept.includes(text));
        assert.deepEqual(privateEndpoints, []);
      }),
      { numRuns: 1000 },
    );
  });
});
