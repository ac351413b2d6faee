// A service may send null, or another type, for any field: both count as absent.
import assert from "node:assert/strict";
import { type ServiceStrings, clusterStrings, select } from "../../../connection-strings/src";

const standardSrv = "db+srv://orders.ab1cd.db.example";
const hosts = "db://pl-0-us-east-1.ab1cd.db.example:1024";
const srv = "db+srv://orders-pl-0-us-east-1.ab1cd.db.example";
const empty = { privateEndpoints: [] };
const endpoint = { index: 0, region: "us-east-1" };

/** What a service sends in spite of its document. */
const record = (given: unknown) => JSON.parse(JSON.stringify(given)) as ServiceStrings;

describe("clusterStrings, for fields without a value", () => {
  it("returns no strings for null, undefined and values of other types", () => {
    assert.deepEqual(clusterStrings(null), empty);
    assert.deepEqual(clusterStrings(undefined), empty);
    assert.deepEqual(clusterStrings(), empty);
    for (const given of [0, "text", true, [standardSrv], []]) {
      assert.deepEqual(clusterStrings(record(given)), empty);
    }
  });

  it("treats null in every field as absent", () => {
    assert.deepEqual(
      clusterStrings({
        standard: null,
        standardSrv,
        private: null,
        privateSrv: null,
        privateEndpoint: null,
        awsPrivateLink: null,
        awsPrivateLinkSrv: null,
        legacy: null,
        other: null,
      }),
      { standardSrv, ...empty },
    );
  });

  it("passes over null in lists and maps", () => {
    const given: ServiceStrings = {
      privateEndpoint: [
        null,
        { connectionString: null, srvConnectionString: srv, endpoints: [null] },
        { connectionString: null, srvShardOptimizedConnectionString: null, endpoints: null },
        { endpoints: [{ endpointId: null, region: null }, { endpointId: "vpce-2" }] },
      ],
      awsPrivateLink: { "vpce-1": null, "vpce-3": hosts },
      awsPrivateLinkSrv: { "vpce-1": srv, "vpce-4": null },
    };
    assert.deepEqual(clusterStrings(given).privateEndpoints, [
      { ...endpoint, endpointIds: ["vpce-1"], srv },
      { ...endpoint, endpointIds: ["vpce-3"], hosts },
      { endpointIds: [] },
      { endpointIds: ["vpce-2"] },
    ]);
  });

  for (const wrong of [1, true, {}, [], [[]], { a: 1 }, "", "text"]) {
    it(`takes ${JSON.stringify(wrong)} for absent where another type belongs`, () => {
      const text = typeof wrong === "string" ? 0 : wrong;
      const given = record({
        standard: text,
        private: text,
        privateEndpoint: typeof wrong === "object" ? "text" : wrong,
        awsPrivateLink: wrong,
        awsPrivateLinkSrv: { "vpce-1": text, "vpce-2": srv },
      });
      assert.deepEqual(clusterStrings(given).privateEndpoints, [
        { ...endpoint, endpointIds: ["vpce-2"], srv },
      ]);
      const nested = record({
        standardSrv,
        privateEndpoint: [
          typeof wrong === "object" ? 0 : wrong,
          { connectionString: hosts, srvConnectionString: text, endpoints: wrong },
          {
            connectionString: text,
            srvConnectionString: srv,
            endpoints: [wrong, { endpointId: text, region: text }],
          },
        ],
      });
      const found = clusterStrings(nested);
      assert.deepEqual(found.privateEndpoints, [
        { ...endpoint, endpointIds: [], hosts },
        { ...endpoint, endpointIds: [], srv },
      ]);
      assert.equal(select(found).kind, "selected");
    });
  }
});
