import assert from "node:assert/strict";
import { kill, killTargets, randomKills } from "../../quality/kills/kills";
import { canListProcesses } from "../../scripts/markedProcesses.cjs";
import { useStack } from "./useStack";

/** `KILL_POINTS=20 KILL_SEED=1 npm test -- tests/engine/kills.test.ts` is a long run. */
const points = Number(process.env["KILL_POINTS"] ?? killTargets.length);
const seed = Number(process.env["KILL_SEED"] ?? 3);

describe("killing any process of an update", function () {
  this.timeout(600_000);
  const stacks = useStack({ settings: { requestsPerMinute: Infinity } });

  before("list processes", function () {
    if (!canListProcesses) this.skip();
  });

  for (const point of randomKills(seed, points)) {
    const { target, kind, isCreated, moment } = point;
    const when = moment === "change" ? "the change" : `${moment} requests`;
    const update = `${isCreated ? "a first" : "an"} update with the ${kind} provider`;
    it(`leaves a stack that recovers with the documented steps: ${target} of ${update}, after ${when}`, async () => {
      assert.deepEqual(await kill(point, stacks), []);
    });
  }
});
