import assert from "node:assert/strict";
import { clusterStrings, select } from "../../../connection-strings/src";

const standard = "db://orders-shard-00-00.ab1cd.db.example:27017";
const standardSrv = "db+srv://orders.ab1cd.db.example";

describe("clusterStrings", () => {
  const strings = {
    standard,
    standardSrv,
    private: "db://orders-shard-00-00-pri.ab1cd.db.example:27017",
    privateSrv: "db+srv://orders-pri.ab1cd.db.example",
    legacy: "db://orders-shard-00-00-ab1cd.db.example:27017",
    legacySrv: "db+srv://orders-ab1cd.db.example",
  };

  it("returns every string by kind, unchanged (2.6 rule 7)", () => {
    const sorted = clusterStrings({ ...strings, privateEndpoint: [] });
    assert.deepEqual(sorted, { ...strings, privateEndpoints: [] });
  });

  it("recognizes legacy strings in any field (2.6 rule 1)", () => {
    const { legacy, legacySrv, ...others } = strings;
    const sorted = clusterStrings({ ...others, a: legacySrv, b: legacy });
    assert.deepEqual(sorted, { ...strings, privateEndpoints: [] });
  });

  it("does not mistake a peering-private string for a legacy one", () => {
    const privateSrv = "db+srv://orders-pri-ab1cd.db.example";
    assert.deepEqual(clusterStrings({ privateSrv }), { privateSrv, privateEndpoints: [] });
  });

  it("returns unknown strings as others under their own names", () => {
    const others = { gateway: "db://gw.example:443" };
    const strings = clusterStrings({ standardSrv, ...others, more: { a: ["b"] }, empty: null });
    assert.deepEqual(strings, { standardSrv, privateEndpoints: [], others });
  });
});

describe("clusterStrings for the record of Pulumi's provider for MongoDB Atlas", () => {
  const endpoint = {
    connectionString: "mongodb://pl-0-us-east-1.ab1cd.db.example:1024/?ssl=true&authSource=admin",
    srvConnectionString: "mongodb+srv://orders-pl-0-us-east-1.ab1cd.db.example",
    type: "MONGOD",
    endpoints: [{ endpointId: "vpce-1", providerName: "AWS", region: "US_EAST_1" }],
  };
  const { privateEndpoints: found } = clusterStrings({ privateEndpoint: [endpoint] });
  const record = { standard, standardSrv, private: "", privateSrv: "" };
  const endpoints = { privateEndpoints: [endpoint] };

  it("reads the record as the service's, in a list of one, too", () => {
    const expected = { standard, standardSrv, privateEndpoints: found };
    assert.deepEqual(clusterStrings({ ...record, ...endpoints }), expected);
    const maps = { awsPrivateLink: {}, awsPrivateLinkSrv: {} };
    assert.deepEqual(clusterStrings([{ ...record, ...endpoints, ...maps }]), expected);
    assert.equal(found[0]?.endpointIds[0], "vpce-1");
    const empty = { ...endpoint, srvShardOptimizedConnectionString: "" };
    assert.deepEqual(clusterStrings({ ...record, privateEndpoints: [empty] }), expected);
  });

  it("reads no list of several records, because they belong to several clusters", () => {
    assert.deepEqual(clusterStrings([record, record]), { privateEndpoints: [] });
  });

  it("prefers the service's name of the private endpoints", () => {
    for (const privateEndpoint of [[], [{ ...endpoint, endpoints: [{ endpointId: "vpce-2" }] }]]) {
      const expected = clusterStrings({ privateEndpoint });
      assert.deepEqual(clusterStrings({ privateEndpoint, ...endpoints }), expected);
    }
    const privateEndpoint = null;
    assert.deepEqual(clusterStrings({ privateEndpoint, ...endpoints }).privateEndpoints, found);
  });

  it("returns its own result unchanged", () => {
    const own = { standardSrv, privateEndpoints: found, others: { analyticsSrv: standardSrv } };
    assert.deepEqual(clusterStrings(own), own);
  });
});

const hosts = "db://pl-0-us-east-1.ab1cd.db.example:1024";
const srv = "db+srv://orders-pl-0-us-east-1.ab1cd.db.example";
const empty = { privateEndpoints: [] };
const endpoint = { index: 0, region: "us-east-1" };

/** Returns any JSON value with the type of a record. */
const recordOf = (value: unknown) => JSON.parse(JSON.stringify(value)) as object;

describe("clusterStrings for null and values of other types", () => {
  it("returns no strings for null, undefined and values of other types", () => {
    assert.deepEqual(clusterStrings(undefined), empty);
    assert.deepEqual(clusterStrings(), empty);
    for (const record of [null, 0, "text", true, [standardSrv], [], {}]) {
      assert.deepEqual(clusterStrings(recordOf(record)), empty);
    }
  });

  for (const wrongValue of [null, 1, true, {}, [], [[]], { a: 1 }, "", "text"]) {
    it(`treats ${JSON.stringify(wrongValue)} as absent in a field of another type`, () => {
      const wrongText = typeof wrongValue === "string" ? 0 : wrongValue;
      const isObject = typeof wrongValue === "object" && wrongValue !== null;
      const record = recordOf({
        standard: wrongText,
        private: wrongText,
        privateEndpoint: isObject ? "text" : wrongValue,
        awsPrivateLink: wrongValue,
        awsPrivateLinkSrv: { "vpce-1": wrongText, "vpce-2": srv },
      });
      assert.deepEqual(clusterStrings(record).privateEndpoints, [
        { ...endpoint, endpointIds: ["vpce-2"], srv },
      ]);
      const nested = recordOf({
        standardSrv,
        privateEndpoint: [
          isObject ? 0 : wrongValue,
          { connectionString: hosts, srvConnectionString: wrongText, endpoints: wrongValue },
          { connectionString: wrongText, endpoints: [{ endpointId: "vpce-3" }] },
          {
            connectionString: wrongText,
            srvConnectionString: srv,
            endpoints: [wrongValue, { endpointId: wrongText, region: wrongText }],
          },
        ],
      });
      const strings = clusterStrings(nested);
      assert.deepEqual(strings.privateEndpoints, [
        { ...endpoint, endpointIds: [], hosts },
        { ...endpoint, endpointIds: [], srv },
        { endpointIds: ["vpce-3"] },
      ]);
      assert.equal(select(strings).kind, "selected");
    });
  }
});
