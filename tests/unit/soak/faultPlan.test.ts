import assert from "node:assert/strict";
import { countThrown, planFaults, serviceFaults } from "../../../quality/soak/faultPlan";
import { seededRandom } from "../../../quality/soak/random";

describe("the faults of an operation", () => {
  const plan = (...seed: (string | number)[]) => planFaults(seededRandom(...seed), "apiKey");

  it("are the same for the same seed, and different for another seed", () => {
    assert.deepEqual(plan(1, "up"), plan(1, "up"));
    assert.notDeepEqual(plan(1, "up"), plan(2, "up"));
    assert.notDeepEqual(plan(1, "up"), plan(1, "refresh"));
  });

  it("affect one request in ten, and include every kind", () => {
    const faults = Array.from({ length: 100 }, (_, seed) => plan(seed)).flat();
    const thrown = countThrown(faults, []);
    const count = Object.values(thrown).reduce((sum, each) => sum + each, 0);
    const spaces = faults.filter((fault) => Object.keys(fault).join() === "times");
    const requests = count + spaces.reduce((sum, { times = 1 }) => sum + times, 0);
    assert.ok(requests / count > 9 && requests / count < 11, String(requests / count));
    for (const kind of serviceFaults) assert.ok(thrown[kind] > 0, kind);
  });

  it("are counted as injected unless they are pending", () => {
    const faults = plan(1);
    const thrown = countThrown(faults, faults.slice(4));
    assert.deepEqual(thrown, countThrown(faults.slice(0, 4), []));
  });

  it("are counted as injected if they affected some of their requests", () => {
    const outage = { status: 503, times: 5 };
    assert.equal(countThrown([outage, outage], [{ ...outage, times: 2 }, outage]).outage, 1);
    assert.equal(countThrown([outage, outage], [outage]).outage, 1);
    assert.equal(countThrown([outage, outage], [outage, outage]).outage, 0);
  });
});
