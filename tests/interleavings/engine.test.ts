import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Stack, inUniverse, operate } from "./engine";
import { schedulerOf } from "./histories";
import { comparable, describeCall, scenarios } from "./programs";
import type { Conditions } from "./service";

const conditions: Conditions = {
  kind: "program",
  credentials: "API key",
  tokenSeconds: 3600,
  requestsPerMinute: 100,
  retryAfter: true,
  clusterPaths: "clusters",
  maxPageSize: 500,
  isReadable: true,
};

/** The calls of the real engine, which tests/engine/recordedCalls.test.ts records. */
const recorded = JSON.parse(readFileSync(join(__dirname, "engineCalls.json"), "utf8")) as Record<
  string,
  string[]
>;

describe("the engine of this folder", () => {
  for (const scenario of scenarios) {
    const { title, operations } = scenario;
    it(`calls the provider in the order of the real one if a resource ${title}`, async () => {
      const calls = await inUniverse(schedulerOf(1), conditions, async (universe) => {
        const stack: Stack = { resources: [] };
        const all: string[] = [];
        for (const operation of operations) {
          const { error, calls: own } = await operate(universe, stack, operation);
          assert.equal(error, undefined);
          all.push(comparable(scenario, own.map(describeCall)));
        }
        return all;
      });
      assert.deepEqual(calls, recorded[title]);
    });
  }
});
