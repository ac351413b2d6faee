import assert from "node:assert/strict";
import { mutation } from "../../../quality/mutation/mutation";

/** The short form of `npm run quality -- mutation`. */
describe("mutation testing", () => {
  it("detects every mutant of the guard", function () {
    this.timeout(300_000);
    const { report, violations } = mutation(["guard"], "pipe");
    assert.deepEqual(violations, [], report);
  });
});
