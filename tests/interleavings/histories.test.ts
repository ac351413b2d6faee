/**
 * Plays the same histories in each run, so that a failure is caused by a change. The environment changes it:
 * - `HISTORY_COUNT`: how many to play. Default: 1,200
 * - `HISTORY_SECONDS`: plays different ones in each run until the time is over
 * - `HISTORY_SEED` and `HISTORY_PATH`: repeat a failure, with the values in its message
 */
import fc from "fast-check";
import { type History, describeHistory, history, play } from "./histories";
import { describeRequests, violationsIn } from "./invariants";

const { HISTORY_COUNT = "1200", HISTORY_SECONDS, HISTORY_SEED, HISTORY_PATH: path } = process.env;
const count = HISTORY_SECONDS === undefined ? Number(HISTORY_COUNT) : Infinity;
const seconds = HISTORY_SECONDS === undefined ? Infinity : Number(HISTORY_SECONDS);
const firstSeed = HISTORY_SECONDS === undefined ? 1 : Math.floor(Math.random() * 2 ** 31);

/** How many histories share a seed. */
const histories = 200;

const holds = fc.asyncProperty(history, fc.scheduler(), async (each, scheduler) => {
  const { violations, requests } = await play(each, scheduler, (result) => ({
    violations: violationsIn(result),
    requests: describeRequests(result),
  }));
  if (violations.length > 0) throw new Error(`${violations.join("\n")}\n\n${requests}`);
});

describe("every history", () => {
  it("keeps the invariants, whatever happens in between", async function () {
    this.timeout(HISTORY_SECONDS === undefined ? 3_600_000 : seconds * 1000 + 600_000);
    const start = performance.now();
    let seed = Number(HISTORY_SEED ?? firstSeed);
    let played = 0;
    let reportedMinutes = 0;
    const end = start + (path === undefined ? seconds * 1000 : 0);
    do {
      const options = { numRuns: histories, seed, ...(path === undefined ? {} : { path }) };
      const result = await fc.check(holds, options);
      if (result.failed) throw new Error(explanationOf(result));
      played += result.numRuns;
      seed += 1;
      const minutes = Math.floor((performance.now() - start) / 60_000);
      if (minutes > reportedMinutes)
        console.log(`    ${minutes} min: ${played} histories, seed ${seed}`);
      reportedMinutes = minutes;
    } while (played < count && performance.now() < end);
    console.log(`    ${played} histories keep the invariants`);
  });
});

/** Returns the shortest history that fails, how to repeat it, and why it fails. */
function explanationOf(result: fc.RunDetails<[History, fc.Scheduler]>): string {
  const { seed, counterexample, counterexamplePath, errorInstance } = result;
  const file = "tests/interleavings/histories.test.ts";
  return [
    `To repeat it: HISTORY_SEED=${seed} HISTORY_PATH=${counterexamplePath ?? ""} npm test -- ${file}`,
    ...(counterexample === null ? [] : [describeHistory(counterexample[0])]),
    errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
  ].join("\n\n");
}
