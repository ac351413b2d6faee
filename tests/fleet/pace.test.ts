import assert from "node:assert/strict";
import fc from "fast-check";
import { startInterval } from "../../examples/fleet/pace";

describe("the interval between the stacks of a project", () => {
  it("keeps every minute within the limit, however long each stack takes and whenever it sends requests", () => {
    const limits = fc
      .record({
        requestsPerStack: fc.integer({ min: 1, max: 40 }),
        factor: fc.integer({ min: 3, max: 30 }),
      })
      .map(({ requestsPerStack, factor }) => ({
        requestsPerStack,
        requestsPerMinute: requestsPerStack * factor,
      }));
    const durations = fc.array(fc.double({ min: 0.01, max: 200, noNaN: true }), {
      minLength: 40,
      maxLength: 40,
    });
    const property = fc.property(limits, durations, fc.nat(39), (limit, lasting, resumed) => {
      const interval = startInterval({ ...limit, uniqueHostNames: false, stacks: [] });
      const runs: { start: number; end: number }[] = [];
      let next = 0;
      for (const [index, seconds] of lasting.entries()) {
        const start = next;
        runs.push({ start, end: start + seconds });
        // A resumed run starts its first stack without the interval.
        next = index === resumed ? start + seconds : start + Math.max(seconds, interval);
      }
      // A minute that begins at the end of a run contains its last request and the most later runs.
      for (const from of runs.flatMap(({ start, end }) => [start, end - 0.001])) {
        const overlapping = runs.filter((run) => run.end > from && run.start < from + 60);
        // The provider limits the requests of one stack in any minute.
        assert.ok(overlapping.length * limit.requestsPerStack <= limit.requestsPerMinute);
      }
    });
    fc.assert(property);
  });
});
