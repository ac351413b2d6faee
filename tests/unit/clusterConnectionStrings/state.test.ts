import assert from "node:assert/strict";
import { readRecorded } from "../../../provider/src/clusterConnectionStrings/state";

const args = { projectId: "p", clusterName: "orders" };
/** The defaults of the other arguments. */
const defaults = { network: { kind: "internet" }, form: "srv", waitSeconds: 0 };

describe("the recorded state of a lookup", () => {
  it("may have null for every output that a cluster may lack", () => {
    const names = ["standard", "standardSrv", "private", "privateSrv", "legacy", "legacySrv"];
    const absent = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, null]));
    const endpoint = {
      ...absent(["index", "region", "regions", "hosts", "srv", "optimizedSrv", "others"]),
      endpointIds: [],
    };
    const state = {
      ...args,
      ...absent([...names, "databaseVersion", "others"]),
      privateEndpoints: [endpoint],
    };
    assert.deepEqual(readRecorded(state), { ...defaults, ...state });
  });

  it("may have properties of a later version", () => {
    const endpoint = { endpointIds: ["vpce-1"], regions: ["x"], others: { a: 1 }, later: 1 };
    const state = { ...args, others: { b: "c" }, privateEndpoints: [endpoint], later: 1 };
    assert.deepEqual(readRecorded(state), { ...defaults, ...state });
    assert.deepEqual(readRecorded({}), defaults);
  });

  const damaged = {
    ...{ projectId: 7, clusterName: 7, network: "internet", form: "x", optimized: "yes" },
    ...{ waitSeconds: "1", recommended: 7, recommendedKind: 7, standard: 7, standardSrv: 7 },
    ...{ private: 7, privateSrv: 7, legacy: 7, legacySrv: 7, databaseVersion: 7, others: "x" },
    privateEndpoints: "x",
  };
  for (const [name, value] of Object.entries(damaged)) {
    it(`is reported if ${name} is damaged`, () => {
      assert.throws(
        () => readRecorded({ ...args, [name]: value }),
        new RegExp(`the state of this ClusterConnectionStrings resource is damaged \\(${name}\\)`),
      );
    });
  }

  const damagedEndpoint = {
    ...{ index: "0", region: 7, regions: "x", endpointIds: 7 },
    ...{ hosts: 7, srv: 7, optimizedSrv: 7, others: "x" },
  };
  for (const [name, value] of Object.entries(damagedEndpoint)) {
    it(`is reported if ${name} of a private endpoint is damaged`, () => {
      const state = { ...args, privateEndpoints: [{ endpointIds: [], [name]: value }] };
      assert.throws(() => readRecorded(state), new RegExp(`\\(privateEndpoints\\.0\\.${name}\\)`));
    });
  }

  it("is reported if an ID or a region of a private endpoint is damaged", () => {
    for (const endpoint of [{ endpointIds: [7] }, { endpointIds: [], regions: [7] }]) {
      assert.throws(() => readRecorded({ ...args, privateEndpoints: [endpoint] }), /damaged/);
    }
  });
});
