import assert from "node:assert/strict";
import { changedOutside, modeIn, notKnown } from "../../../provider/src/privateIpMode/args";

describe("the input changesFrom", () => {
  const once = changedOutside("on", undefined);
  for (const [changesFrom, mode] of [
    ["off", "off"],
    [once, "on"],
    [changedOutside("on", once), "on"],
    [notKnown, undefined],
    [undefined, undefined],
  ] as const) {
    it(`contains ${mode ?? "no mode"} if it is ${changesFrom ?? "missing"}`, () => {
      assert.equal(modeIn(changesFrom), mode);
    });
  }
});
