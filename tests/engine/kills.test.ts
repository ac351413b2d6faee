import assert from "node:assert/strict";
import { killTargets, runKills } from "../../quality/kills/kills";
import { canListProcesses } from "../../scripts/markedProcesses.cjs";

/** `KILL_POINTS=20 KILL_SEED=1 npm test -- tests/engine/kills.test.ts` is a long run. */
const points = Number(process.env["KILL_POINTS"] ?? killTargets.length);
const seed = Number(process.env["KILL_SEED"] ?? 3);

describe("killing any process of an update", () => {
  it("leaves the mode as before or as requested, and the stack recovers with the documented steps", async function () {
    if (!canListProcesses) this.skip();
    this.timeout(Math.max(600_000, points * 60_000));
    const kills = await runKills(seed, points);
    assert.deepEqual(
      kills.flatMap(({ violations }) => violations),
      [],
    );
  });
});
