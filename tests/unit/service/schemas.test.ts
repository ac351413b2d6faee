import assert from "node:assert/strict";
import { blockingClusters } from "../../../provider/src/privateIpMode/guard";
import { clusterReader } from "../../../provider/src/service/schemas";

const read = clusterReader("db");

const nothing = {
  id: undefined,
  name: undefined,
  state: undefined,
  isPaused: false,
  version: undefined,
  majorVersion: undefined,
  connectionStrings: undefined,
};

describe("the record of a cluster", () => {
  it("has the fields that the provider uses, with any prefix of the version fields", () => {
    const connectionStrings = { standardSrv: "db+srv://orders.ab1cd.db.example", more: [1] };
    const record = { id: "i", name: "orders", stateName: "IDLE", paused: true, connectionStrings };
    const expected = {
      id: "i",
      name: "orders",
      state: "IDLE",
      isPaused: true,
      version: "7.0.12",
      majorVersion: "7.0",
      connectionStrings,
    };
    assert.deepEqual(read({ ...record, dbVersion: "7.0.12", dbMajorVersion: "7.0" }), expected);
    const versions = { myDBVersion: "7.0.12", myDBMajorVersion: "7.0" };
    assert.deepEqual(clusterReader("myDB")({ ...record, ...versions }), expected);
  });

  it("omits each field that is missing, null, empty or of another type", () => {
    for (const value of [undefined, null, "", 7, ["a"]]) {
      const record = {
        id: value,
        name: value,
        stateName: value,
        paused: value,
        connectionStrings: value,
      };
      assert.deepEqual(read({ ...record, dbVersion: value }), nothing);
    }
  });

  it("prevents disabling with a major version that is neither text nor missing", () => {
    for (const value of [6, 7.1, ["7.0"], {}, false]) {
      const record = read({ name: "orders", dbVersion: "7.0.12", dbMajorVersion: value });
      const [blocking] = blockingClusters({ records: [record] });
      assert.match(blocking?.version ?? "", /^\(the major version is an? \w+, not text\)$/);
    }
    for (const value of [undefined, null, ""]) {
      const record = read({ name: "orders", dbVersion: "7.0.12", dbMajorVersion: value });
      assert.deepEqual(blockingClusters({ records: [record] }), []);
    }
  });

  it("has no fields if it is not an object", () => {
    for (const record of [null, "odd", 7, ["a"]]) assert.deepEqual(read(record), nothing);
  });
});
