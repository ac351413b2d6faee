import assert from "node:assert/strict";
import { runKills } from "../../soak/kills";
import { killTargets } from "../../soak/killPoints";
import { canListProcesses } from "../../soak/processes";
import { soak } from "../../soak/soak";

/** The short form of `npm run soak`. */
describe("a soak", () => {
  const log: string[] = [];

  it("ends every operation as requested or with one clear error while the service and the network fail", async function () {
    this.timeout(600_000);
    const options = { seed: 74, stacks: 3, rounds: 1, projects: 3 };
    const { violations, operations } = await soak({ ...options, log: (line) => log.push(line) });
    assert.deepEqual(violations, [], log.join("\n"));
    assert.ok(operations.some(({ faults }) => Object.values(faults).some((count) => count > 0)));
    assert.ok(operations.some(({ patchesNeeded }) => patchesNeeded > 0));
    assert.ok(operations.some(({ outcome }) => outcome === "refused"));
  });
});

describe("a kill of any process of an update", () => {
  const log: string[] = [];

  it("leaves the mode as before or as requested, and is recovered by the documented steps", async function () {
    if (!canListProcesses) this.skip();
    this.timeout(600_000);
    const options = { seed: 3, points: killTargets.length };
    const { violations, kills } = await runKills({ ...options, log: (line) => log.push(line) });
    assert.deepEqual(violations, [], log.join("\n"));
    assert.deepEqual(kills.map(({ point }) => point.target).sort(), [...killTargets].sort());
  });
});
