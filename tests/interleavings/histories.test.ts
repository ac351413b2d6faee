/**
 * Plays the same histories in each run, so that a failure is caused by a change. The environment changes it:
 * - `HISTORY_COUNT`: how many to play. Default: 400
 * - `HISTORY_SECONDS`: plays different ones in each run until the time is over
 * - `HISTORY_SEED` and `HISTORY_PATH`: repeat a failure, with the values in its message
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { describeHistory, hasPagesAndPaths, history, order, play, schedulerOf } from "./histories";
import {
  actionsBetweenCalls,
  changesBetweenPages,
  describeRequests,
  violationsIn,
} from "./invariants";
import type { Action } from "./service";

const { HISTORY_COUNT = "400", HISTORY_SECONDS, HISTORY_SEED, HISTORY_PATH } = process.env;

/** How many histories have each action on a cluster between two calls about our resources. */
const counts: Record<Action, number> = {
  creates: 0,
  changes: 0,
  moves: 0,
  replaces: 0,
  deletes: 0,
};

/** How many histories have several pages and paths, and how many of these change a cluster between two pages. */
const ofPages = { all: 0, changing: 0 };

/** How many histories suspend the machine between the guard and a change, and signal the provider of a pending change. */
const ofProcesses = { suspended: 0, signalled: 0 };

/** Throws a history, what is wrong with it, and its requests. */
const holds = fc.asyncProperty(history, order, async (input, seed) => {
  const { wrong, requests } = await play(input, schedulerOf(seed), (result) => {
    for (const action of actionsBetweenCalls(result)) counts[action] += 1;
    if (hasPagesAndPaths(input)) {
      ofPages.all += 1;
      if (changesBetweenPages(result)) ofPages.changing += 1;
    }
    const changes = result.happened.flatMap(({ kind, fault }) => (kind === "change" ? fault : []));
    if (changes.some((fault) => fault.kind === "suspended" && fault.when === "connecting"))
      ofProcesses.suspended += 1;
    if (changes.some((fault) => fault.kind === "stopped" && fault.stop === "signal"))
      ofProcesses.signalled += 1;
    return { wrong: violationsIn(result), requests: describeRequests(result) };
  });
  if (wrong.length > 0)
    throw new Error([describeHistory(input), wrong.join("\n"), requests].join("\n\n"));
});

const file = "tests/interleavings/histories.test.ts";

describe("every history", () => {
  it("keeps the invariants, whatever happens in between", async function () {
    this.timeout(0);
    const result = await fc.check(holds, {
      seed: Number(HISTORY_SEED ?? (HISTORY_SECONDS === undefined ? 7 : Date.now() % 2 ** 31)),
      numRuns: HISTORY_SECONDS === undefined ? Number(HISTORY_COUNT) : 2 ** 31,
      plugins: HISTORY_SECONDS ? [fc.interruptAfterTimeLimit(Number(HISTORY_SECONDS) * 1000)] : [],
      ...(HISTORY_PATH && { path: HISTORY_PATH }),
    });
    if (result.failed) {
      const { seed, counterexamplePath: path, errorInstance } = result;
      const variables = `HISTORY_SEED=${seed} HISTORY_PATH=${String(path)}`;
      throw new Error(`To repeat it: ${variables} npm test -- ${file}\n\n${String(errorInstance)}`);
    }
    const shares = Object.entries(counts).map(
      ([action, times]) => [action, times / result.numRuns] as const,
    );
    const texts = shares.map(([action, share]) => `${action} ${(share * 100).toFixed(0)} %`);
    console.log(
      `    ${result.numRuns} histories keep the invariants. Between two calls, one of their resources`,
    );
    console.log(`    ${texts.join(", ")}`);
    console.log(
      `    ${ofPages.all} have several pages and paths; ${ofPages.changing} of these change a cluster between two pages.`,
    );
    console.log(
      `    ${ofProcesses.suspended} suspend the machine before a change; ${ofProcesses.signalled} signal a provider whose change is pending.`,
    );
    for (const [action, share] of shares) {
      if (action !== "creates" && HISTORY_PATH === undefined) assert.ok(share >= 0.1, action);
    }
    if (HISTORY_PATH === undefined) assert.ok(ofPages.changing >= ofPages.all / 10);
  });
});
