import assert from "node:assert/strict";
import { killTargets, runKills } from "../../quality/soak/kills";
import { canListProcesses } from "../../scripts/markedProcesses.cjs";

/** The short form of `npm run quality -- kills`. */
describe("killing any process of an update", () => {
  const log: string[] = [];

  it("leaves the mode as before or as requested, and the stack recovers with the documented steps", async function () {
    if (!canListProcesses) this.skip();
    this.timeout(600_000);
    const options = { seed: 3, points: killTargets.length };
    const { violations, kills } = await runKills({ ...options, log: (line) => log.push(line) });
    assert.deepEqual(violations, [], log.join("\n"));
    assert.deepEqual(kills.map(({ point }) => point.target).sort(), [...killTargets].sort());
  });
});
