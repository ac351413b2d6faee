/**
 * Plays histories until the time is over. The environment changes it:
 * - `HISTORY_SECONDS`: how long to play. Default: 20
 * - `HISTORY_SEED` and `HISTORY_PATH`: repeat a failure, with the values in its message
 */
import fc from "fast-check";
import { describeHistory, history, play } from "./histories";
import { describeRequests, violationsIn } from "./invariants";

const seconds = Number(process.env["HISTORY_SECONDS"] ?? "20");

/** How many histories share a seed. */
const histories = 200;

const holds = fc.asyncProperty(history, fc.scheduler(), async (each, scheduler) => {
  const { violations, requests } = await play(each, scheduler, (happened) => ({
    violations: violationsIn(happened),
    requests: describeRequests(happened),
  }));
  if (violations.length > 0) throw new Error(`${violations.join("\n")}\n\n${requests}`);
});

describe("every history", () => {
  it("keeps the invariants, whatever happens in between", async function () {
    this.timeout(seconds * 1000 + 600_000);
    const { HISTORY_SEED, HISTORY_PATH: path } = process.env;
    const end = performance.now() + seconds * 1000;
    let seed = Number(HISTORY_SEED ?? Math.floor(Math.random() * 2 ** 31));
    let played = 0;
    do {
      const result = await fc.check(holds, {
        numRuns: histories,
        seed,
        ...(path === undefined ? {} : { path }),
      });
      played += result.numRuns;
      if (result.failed) {
        const [shortest] = result.counterexample ?? [];
        const error = result.errorInstance;
        throw new Error(
          [
            `HISTORY_SEED=${seed} HISTORY_PATH=${result.counterexamplePath ?? ""}`,
            shortest === undefined ? "" : describeHistory(shortest),
            error instanceof Error ? error.message : String(error),
          ].join("\n\n"),
        );
      }
      seed += 1;
      if (seconds > 60) console.error(`${played} histories, next seed ${seed}`);
    } while (performance.now() < end && path === undefined);
    console.error(`    ${played} histories`);
  });
});
