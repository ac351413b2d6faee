import assert from "node:assert/strict";
import { readRecorded } from "../../../provider/src/privateIpMode/state";

describe("the recorded state of a PrivateIpMode", () => {
  const state = { projectId: "p", enabled: false, enabledAtAdoption: null };

  it("has defaults for unrecorded values", () => {
    assert.deepEqual(readRecorded({}), { onDelete: "retain" });
    assert.deepEqual(readRecorded(state), { ...state, onDelete: "retain" });
    assert.equal(readRecorded({ ...state, onDelete: "restore" }).onDelete, "restore");
  });

  for (const [name, value] of [
    ["projectId", 7],
    ["enabled", "yes"],
    ["enabledAtAdoption", "yes"],
    ["onDelete", "keep"],
    ["__setByStack", "yes"],
  ] as const) {
    it(`is reported if ${name} is damaged`, () => {
      assert.throws(
        () => readRecorded({ ...state, [name]: value }),
        new RegExp(`the state of this PrivateIpMode resource is damaged \\(${name}\\)`),
      );
    });
  }
});
