import assert from "node:assert/strict";
import { clusterStrings } from "../../../connection-strings/src";
import { record, stringsOf } from "./privateEndpointRecords";

const standard = "db://orders-shard-00-00.ab1cd.db.example:27017";

describe("clusterStrings for private endpoints", () => {
  it("returns a private endpoint with its index, region, IDs and three strings", () => {
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

  it("takes the region from the host name if the service returns none", () => {
    const connectionString = "db://pl-3-eu-west-1.ab1cd.db.example:1024";
    assert.deepEqual(clusterStrings({ privateEndpoint: [{ connectionString }] }).privateEndpoints, [
      { index: 3, region: "eu-west-1", endpointIds: [], hosts: connectionString },
    ]);
  });

  it("sorts private endpoints by index", () => {
    const recordOf = (index: number) => ({
      connectionString: `db://pl-${index}-eu-west-1.ab1cd.db.example:1024`,
    });
    const indexes = (order: number[]) =>
      clusterStrings({ privateEndpoint: order.map(recordOf) }).privateEndpoints.map(
        ({ index }) => index,
      );
    assert.deepEqual(indexes([10, 2, 0]), [0, 2, 10]);
  });

  it("sorts private endpoints with the same index by region", () => {
    const recordOf = (region: string) => ({
      connectionString: `db://pl-0-${region}.ab1cd.db.example:1024`,
    });
    const regions = (order: string[]) =>
      clusterStrings({ privateEndpoint: order.map(recordOf) }).privateEndpoints.map(
        ({ region }) => region,
      );
    assert.deepEqual(regions(["us-east-1", "eu-west-1"]), ["eu-west-1", "us-east-1"]);
    assert.deepEqual(regions(["eu-west-1", "us-east-1"]), ["eu-west-1", "us-east-1"]);
  });

  it("adds endpoints, IDs and strings that are only in the deprecated maps", () => {
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

  it("returns unknown strings of a private endpoint as its others", () => {
    const endpoint = { endpoints: [], type: "NODE", mappedString: "db://a.b.c.d:1" };
    assert.deepEqual(clusterStrings({ privateEndpoint: [endpoint] }).privateEndpoints, [
      { endpointIds: [], others: { mappedString: "db://a.b.c.d:1" } },
    ]);
  });

  it("reads the index and region of endpoints under a domain other than the cluster's", () => {
    const connectionString = "db://pl-2-eu-west-1.ab1cd.endpoints.example:1024";
    assert.deepEqual(
      clusterStrings({ standard, privateEndpoint: [{ connectionString }] }).privateEndpoints,
      [{ index: 2, region: "eu-west-1", endpointIds: [], hosts: connectionString }],
    );
  });

  it("assigns strings from before 2020 to their endpoint", () => {
    const connectionString = "db://pl-0-us-east-1-ab1cd.eu.db.example:1024";
    const srvConnectionString = "db+srv://orders-pl-0-ab1cd.eu.db.example";
    const strings = clusterStrings({
      standard: "db://orders-shard-00-00-ab1cd.eu.db.example:27017",
      privateEndpoint: [{ connectionString, srvConnectionString }],
      older: srvConnectionString,
    });
    assert.deepEqual(strings.privateEndpoints, [
      {
        index: 0,
        region: "us-east-1",
        endpointIds: [],
        hosts: connectionString,
        srv: srvConnectionString,
      },
    ]);
    assert.equal(strings.legacySrv, undefined);
    assert.deepEqual(strings.others, { older: srvConnectionString });
  });

  it("does not mistake an inherited property of a map for a string", () => {
    const connectionString = "db://pl-0-eu-west-1.ab1cd.db.example:1024";
    const endpoints = [{ endpointId: "constructor" }, { endpointId: "toString" }];
    const strings = clusterStrings({
      privateEndpoint: [{ connectionString, endpoints }],
      awsPrivateLinkSrv: {},
    });
    assert.deepEqual(strings.privateEndpoints, [
      {
        index: 0,
        region: "eu-west-1",
        endpointIds: ["constructor", "toString"],
        hosts: connectionString,
      },
    ]);
  });

  it("does not assign the ID of one record to another that shares its string", () => {
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

  it("returns all regions of endpoints that share their strings", () => {
    const [endpoint] = stringsOf(record(0, "US_EAST_1", "EU_WEST_1", "US_EAST_1")).privateEndpoints;
    assert.equal(endpoint?.region, "US_EAST_1");
    assert.deepEqual(endpoint.regions, ["EU_WEST_1", "US_EAST_1"]);
  });

  it("sorts regions", () => {
    const regions = (...names: string[]) =>
      stringsOf(record(0, ...names)).privateEndpoints[0]?.regions;
    assert.deepEqual(regions("US_EAST_1", "EU_WEST_1"), regions("EU_WEST_1", "US_EAST_1"));
  });

  it("omits regions if all endpoints are in one region, in any spelling", () => {
    for (const regions of [["US_EAST_1"], ["US_EAST_1", "us-east-1"], []]) {
      const [endpoint = {}] = stringsOf(record(0, ...regions)).privateEndpoints;
      assert.equal("regions" in endpoint, false);
    }
  });
});
