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
      assert.deepEqual(read(record), nothing);
    }
  });

  it("prevents disabling with a version that is neither text nor missing", () => {
    const versionsIn = (record: object) =>
      blockingClusters({ records: [read({ name: "orders", dbVersion: "7.0.12", ...record })] }).map(
        ({ version }) => version,
      );
    for (const value of [6, 7.1, ["7.0"], {}, false]) {
      const kind = /^\(the version is an? \w+, not text\)$/;
      assert.match(versionsIn({ dbVersion: value }).join(), kind);
      const majorKind = /^\(the major version is an? \w+, not text\)$/;
      assert.match(versionsIn({ dbMajorVersion: value }).join(), majorKind);
    }
    for (const value of [undefined, null, ""]) {
      assert.deepEqual(versionsIn({ dbVersion: value }), ["(no version given)"]);
      assert.deepEqual(versionsIn({ dbMajorVersion: value }), []);
    }
  });

  it("has no fields if it is not an object", () => {
    for (const record of [null, "odd", 7, ["a"]]) assert.deepEqual(read(record), nothing);
  });
});
