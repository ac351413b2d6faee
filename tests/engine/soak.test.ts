import assert from "node:assert/strict";
import { soak } from "../../quality/soak/soak";

/** The short form of `npm run quality -- soak`. */
describe("a soak", () => {
  it("ends every operation as requested or with one clear error while the service and the network fail", async function () {
    this.timeout(600_000);
    const operations = await soak(2, 1);
    assert.deepEqual(
      operations.flatMap(({ violations }) => violations),
      [],
    );
    assert.ok(operations.some(({ outcome }) => outcome === "refused"));
  });
});
