import assert from "node:assert/strict";
import { killTargets, runKills } from "../../quality/soak/kills";
import { canListProcesses } from "../../scripts/markedProcesses.cjs";

/** The short form of `npm run quality -- kills`. */
describe("killing any process of an update", () => {
  it("leaves the mode as before or as requested, and the stack recovers with the documented steps", async function () {
    if (!canListProcesses) this.skip();
    this.timeout(600_000);
    const kills = await runKills(3, killTargets.length);
    assert.deepEqual(
      kills.flatMap(({ violations }) => violations),
      [],
    );
  });
});
