import assert from "node:assert/strict";
import { soak } from "../../quality/soak/soak";

/** The short form of `npm run quality -- soak`. */
describe("a soak", () => {
  const log: string[] = [];

  it("ends every operation as requested or with one clear error while the service and the network fail", async function () {
    this.timeout(600_000);
    const options = { seed: 2, stacks: 3, rounds: 1 };
    const { violations, operations } = await soak({ ...options, log: (line) => log.push(line) });
    assert.deepEqual(violations, [], log.join("\n"));
    assert.ok(operations.some(({ faults }) => faults.length > 0));
    assert.ok(operations.some(({ patchesNeeded }) => patchesNeeded > 0));
    assert.ok(operations.some(({ outcome }) => outcome === "refused"));
  });
});
